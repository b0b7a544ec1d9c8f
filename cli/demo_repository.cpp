#include "cli/demo_repository.hpp"

#include "promotion/git/handles.hpp"
#include "promotion/git/library.hpp"

#include <fmt/format.h>

#include <array>

namespace sluice::cli {
namespace {

namespace git = promotion::git;
using git::open_into;

struct free_buffer {
    void operator()(git_buf* b) const noexcept { git_buf_dispose(b); }
};

constexpr std::array environments{"dev", "staging", "prod"};

std::string manifest(std::string_view environment, const std::string& version) {
    return fmt::format(
        R"(apiVersion: helm.toolkit.fluxcd.io/v2
kind: HelmRelease
metadata:
  name: podinfo
  namespace: podinfo-{0}
spec:
  interval: 10m
  chart:
    spec:
      chart: podinfo
      version: {1} # {{"$promotion": "default:podinfo:{0}"}}
      sourceRef:
        kind: HelmRepository
        name: podinfo
)",
        environment,
        version
    );
}

error failed(std::string_view doing) {
    return {errc::internal, fmt::format("{}: {}", doing, git::last_error())};
}

result<git::repository_ptr> make_bare(const std::filesystem::path& folder) {
    git_repository_init_options o;
    if (git_repository_init_options_init(&o, GIT_REPOSITORY_INIT_OPTIONS_VERSION) != 0)
        return failed("libgit2");
    o.flags = GIT_REPOSITORY_INIT_BARE | GIT_REPOSITORY_INIT_MKPATH | GIT_REPOSITORY_INIT_NO_REINIT;
    o.initial_head = "main";
    git::repository_ptr made;
    if (open_into(made, git_repository_init_ext, folder.c_str(), &o) != 0)
        return failed("the demo's repository cannot be made");
    return made;
}

// apps/<environment>/podinfo.yaml for each.
result<git_oid> write_tree(git_repository* in, const std::string& version) {
    using builder_ptr = std::unique_ptr<git_treebuilder, git::git_deleter<git_treebuilder_free>>;
    const auto folder_of =
        [&](const char* name, const git_oid& id, git_filemode_t mode, git_oid& out) {
            builder_ptr one;
            return open_into(one, git_treebuilder_new, in, nullptr) == 0 &&
                   git_treebuilder_insert(nullptr, one.get(), name, &id, mode) == 0 &&
                   git_treebuilder_write(&out, one.get()) == 0;
        };
    builder_ptr apps;
    if (open_into(apps, git_treebuilder_new, in, nullptr) != 0) return failed("a tree");
    for (const auto* name : environments) {
        const auto text = manifest(name, version);
        git_oid blob{};
        git_oid folder{};
        const bool written =
            git_blob_create_from_buffer(&blob, in, text.data(), text.size()) == 0 &&
            folder_of("podinfo.yaml", blob, GIT_FILEMODE_BLOB, folder) &&
            git_treebuilder_insert(nullptr, apps.get(), name, &folder, GIT_FILEMODE_TREE) == 0;
        if (!written) return failed("the demo's files cannot be written");
    }
    git_oid below{};
    git_oid root{};
    if (git_treebuilder_write(&below, apps.get()) != 0 ||
        !folder_of("apps", below, GIT_FILEMODE_TREE, root))
        return failed("the demo's files cannot be written");
    return root;
}

result<git::tree_ptr> tree_of(git_repository* in, const std::string& branch) {
    const auto name = fmt::format("refs/heads/{}^{{tree}}", branch);
    git::object_ptr found;
    if (open_into(found, git_revparse_single, in, name.c_str()) != 0)
        return failed("the branch " + branch);
    git::tree_ptr tree;
    if (open_into(tree, git_tree_lookup, in, git_object_id(found.get())) != 0)
        return failed("the branch " + branch);
    return tree;
}

} // namespace

outcome make_demo_repository(const std::filesystem::path& folder, const std::string& version) {
    git::start_library();
    auto made = make_bare(folder);
    if (!made) return made.error();
    auto root = write_tree(made->get(), version);
    if (!root) return root.error();
    git::tree_ptr tree;
    git::signature_ptr by;
    git_oid commit{};
    const bool committed = open_into(tree, git_tree_lookup, made->get(), &*root) == 0 &&
                           open_into(by, git_signature_now, "Sluice demo", "demo@localhost") == 0 &&
                           git_commit_create(
                               &commit,
                               made->get(),
                               "refs/heads/main",
                               by.get(),
                               by.get(),
                               nullptr,
                               "Deploy podinfo everywhere",
                               tree.get(),
                               0,
                               nullptr
                           ) == 0;
    if (!committed) return failed("the demo's first commit cannot be written");
    return {};
}

result<std::string> diff_to_main(const std::filesystem::path& folder, const std::string& branch) {
    git::start_library();
    git::repository_ptr in;
    if (open_into(in, git_repository_open_bare, folder.c_str()) != 0)
        return failed("the demo's repository cannot be opened");
    auto from = tree_of(in.get(), "main");
    if (!from) return from.error();
    auto to = tree_of(in.get(), branch);
    if (!to) return to.error();
    git_diff_options o;
    if (git_diff_options_init(&o, GIT_DIFF_OPTIONS_VERSION) != 0) return failed("libgit2");
    o.context_lines = 1;
    git::diff_ptr diff;
    if (open_into(diff, git_diff_tree_to_tree, in.get(), from->get(), to->get(), &o) != 0)
        return failed("the diff cannot be made");
    git_buf text{};
    const std::unique_ptr<git_buf, free_buffer> owner{&text};
    if (git_diff_to_buf(&text, diff.get(), GIT_DIFF_FORMAT_PATCH) != 0)
        return failed("the diff cannot be written");
    return std::string{text.ptr, text.size};
}

} // namespace sluice::cli
