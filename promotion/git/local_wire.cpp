#include "promotion/git/local_wire.hpp"

#include "promotion/git/copy_objects.hpp"

#include <fmt/format.h>

namespace sluice::promotion::git {
namespace {

constexpr std::string_view heads = "refs/heads/";

} // namespace

result<std::unique_ptr<wire>>
local_wire::open(const std::filesystem::path& folder, const std::string& url) {
    repository_ptr opened;
    constexpr unsigned flags = GIT_REPOSITORY_OPEN_NO_SEARCH;
    if (open_into(opened, git_repository_open_ext, folder.c_str(), flags, nullptr) != 0)
        return error{
            errc::unprocessable,
            fmt::format(
                "{}: no git repository ({}); `git init --bare` makes one", url, last_error()
            )
        };
    return std::unique_ptr<wire>{new local_wire{std::move(opened), url}};
}

error local_wire::failed(std::string_view doing) const {
    return {errc::unavailable, fmt::format("{}: {}: {}", url_, doing, last_error())};
}

std::filesystem::path local_wire::objects() const {
    return std::filesystem::path{git_repository_commondir(remote_.get())} / "objects";
}

result<branch_tips> local_wire::list() {
    reference_iterator_ptr each;
    if (open_into(each, git_reference_iterator_glob_new, remote_.get(), "refs/heads/*") != 0)
        return failed("cannot list its branches");
    branch_tips out;
    for (;;) {
        reference_ptr ref;
        const int code = open_into(ref, git_reference_next, each.get());
        if (code == GIT_ITEROVER) return out;
        if (code != 0) return failed("cannot list its branches");
        // One that points to another branch is nothing a promotion writes to.
        if (const auto* id = git_reference_target(ref.get()))
            out.emplace(git_reference_name(ref.get()) + heads.size(), to_text(*id));
    }
}

result<branch_tips> local_wire::fetch(cache& /*into*/, const std::vector<std::string>& /*wanted*/) {
    return list(); // the cache reads them where they are
}

outcome local_wire::copy(git_repository* from, const std::vector<git_oid>& objects) {
    odb_ptr theirs;
    if (open_into(theirs, git_repository_odb, remote_.get()) != 0)
        return failed("cannot open its objects");
    if (copy_objects(from, theirs.get(), objects) != 0) return failed("cannot write its objects");
    return {};
}

result<std::vector<ref_status>> local_wire::push(
    cache& from, const std::vector<ref_update>& updates, const std::vector<git_oid>& objects
) {
    if (auto copied = copy(from.repository(), objects); !copied) return copied.error();
    std::vector<ref_status> out;
    out.reserve(updates.size());
    for (const auto& u : updates) out.push_back(update(u));
    return out;
}

ref_status local_wire::update(const ref_update& u) {
    const auto name = fmt::format("{}{}", heads, u.branch);
    if (u.target.empty()) return remove(u, name);
    reference_ptr head;
    if (git_repository_is_bare(remote_.get()) == 0 &&
        open_into(head, git_reference_lookup, remote_.get(), "HEAD") == 0 &&
        git_reference_type(head.get()) == GIT_REFERENCE_SYMBOLIC &&
        git_reference_symbolic_target(head.get()) == name)
        return {
            false,
            fmt::format(
                "{} is checked out in {}; use a bare repository (git clone --bare)", u.branch, url_
            )
        };
    git_oid target;
    git_oid expected;
    if (!parse_id(u.target, target) || (!u.expected.empty() && !parse_id(u.expected, expected)))
        return {false, "no commit id"};
    reference_ptr made;
    const int code =
        u.expected.empty()
            ? open_into(made, git_reference_create, remote_.get(), name.c_str(), &target, 0, "push")
            : open_into(
                  made,
                  git_reference_create_matching,
                  remote_.get(),
                  name.c_str(),
                  &target,
                  1,
                  &expected,
                  "push"
              );
    return code == 0 ? ref_status{true, {}} : ref_status{false, last_error()};
}

ref_status local_wire::remove(const ref_update& u, const std::string& name) {
    reference_ptr ref;
    if (open_into(ref, git_reference_lookup, remote_.get(), name.c_str()) != 0)
        return {false, last_error()};
    const auto* tip = git_reference_target(ref.get());
    if (tip == nullptr || to_text(*tip) != u.expected) return {false, "it has another tip"};
    // Fails when it changed since it was looked up.
    if (git_reference_delete(ref.get()) != 0) return {false, last_error()};
    return {true, {}};
}

} // namespace sluice::promotion::git
