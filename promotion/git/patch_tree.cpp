#include "promotion/git/patch_tree.hpp"

#include "promotion/git/blob_text.hpp"
#include "promotion/git/find_files.hpp"
#include "promotion/git/no_rescan.hpp"
#include "promotion/manifest/patch.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>

namespace sluice::promotion::git {
namespace {

error failed(std::string_view doing) {
    return {errc::unavailable, fmt::format("{}: {}", doing, last_error())};
}

struct file_work {
    tree_file file;
    std::vector<std::string> fields;
    bool marked = false;
};
using work_by_path = std::map<std::string, file_work>;

// A file named in the Pipeline must be there; the one who wrote it learns what is there instead.
result<tree_file> named_file(git_tree* tree, const pipeline::manifest_field& named) {
    const auto refuse = [&](std::string_view why) {
        return error{
            errc::unprocessable,
            fmt::format("{}: {}; `manifests` of the Pipeline names it", named.path, why)
        };
    };
    tree_entry_ptr entry;
    const int code = open_into(entry, git_tree_entry_bypath, tree, named.path.c_str());
    if (code == GIT_ENOTFOUND) return refuse("there is no such file");
    if (code != 0) return failed(named.path);
    const auto mode = git_tree_entry_filemode(entry.get());
    if (mode == GIT_FILEMODE_LINK) return refuse("a symbolic link, which is never followed");
    if (mode == GIT_FILEMODE_COMMIT) return refuse("a submodule");
    if (mode == GIT_FILEMODE_TREE) return refuse("a folder");
    return tree_file{named.path, *git_tree_entry_id(entry.get()), mode};
}

result<work_by_path> gather(
    git_tree* tree, std::vector<tree_file> marked, std::span<const pipeline::manifest_field> fields
) {
    work_by_path out;
    for (auto& file : marked) {
        auto path = file.path;
        out.emplace(std::move(path), file_work{std::move(file), {}, true});
    }
    for (const auto& named : fields) {
        auto at = out.find(named.path);
        if (at == out.end()) {
            auto file = named_file(tree, named);
            if (!file) return file.error();
            at = out.emplace(named.path, file_work{std::move(*file), {}, false}).first;
        }
        at->second.fields.push_back(named.field);
    }
    return out;
}

result<blob_text> read_file(git_repository* repository, const tree_file& file) {
    odb_ptr objects;
    if (open_into(objects, git_repository_odb, repository) != 0) return failed(file.path);
    auto blob = read_blob(objects.get(), file.blob);
    if (blob.state == blob_state::failed) return failed(file.path);
    if (blob.state == blob_state::too_large)
        return error{
            errc::unprocessable,
            fmt::format("{}: larger than {} MiB", file.path, largest_manifest >> 20U)
        };
    return blob;
}

result<git_tree_update>
store(git_repository* repository, const file_work& work, std::string_view bytes) {
    git_tree_update out{};
    out.action = GIT_TREE_UPDATE_UPSERT;
    out.filemode = work.file.mode;
    out.path = work.file.path.c_str();
    const no_rescan writing{repository};
    if (git_blob_create_from_buffer(&out.id, repository, bytes.data(), bytes.size()) != 0)
        return failed(work.file.path);
    return out;
}

// One file into the result; the edit it needs, if any.
result<std::optional<git_tree_update>> patch_file(
    const tree_patch& in,
    const file_work& work,
    const promotion_key& key,
    const pipeline::revision_facts& facts,
    patched_tree& out
) {
    const auto blob = read_file(in.repository, work.file);
    if (!blob) return blob.error();
    auto patched = patch(work.file.path, blob->text(), key, facts, work.fields);
    if (!patched) return error{errc::unprocessable, patched.error().message};
    std::ranges::move(patched->places, std::back_inserter(out.places));
    for (auto& c : patched->changes)
        out.changes.push_back({work.file.path, c.line, std::move(c.from), std::move(c.to)});
    if (!patched->bytes) return std::optional<git_tree_update>{};
    auto update = store(in.repository, work, *patched->bytes);
    if (!update) return update.error();
    return std::optional{*update};
}

// The files of a commit that a promotion writes to.
struct marked_tree {
    tree_ptr tree;
    marked_files marked;
    work_by_path work;
};

result<marked_tree> find_work(
    const tree_patch& in,
    const git_oid& commit_id,
    const promotion_key& key,
    std::span<const pipeline::manifest_field> fields
) {
    marked_tree out;
    commit_ptr commit;
    if (open_into(commit, git_commit_lookup, in.repository, &commit_id) != 0 ||
        open_into(out.tree, git_commit_tree, commit.get()) != 0)
        return failed("cannot read the base commit");
    auto marked =
        find_files(in.repository, *git_tree_id(out.tree.get()), key, in.index, in.blobs_read);
    if (!marked) return marked.error();
    out.marked = std::move(*marked);
    auto work = gather(out.tree.get(), std::move(out.marked.files), fields);
    if (!work) return work.error();
    out.work = std::move(*work);
    return out;
}

} // namespace

result<patched_tree> patch_tree(
    const tree_patch& in,
    const git_oid& commit,
    const promotion_key& key,
    const pipeline::revision_facts& facts,
    std::span<const pipeline::manifest_field> fields
) {
    auto found = find_work(in, commit, key, fields);
    if (!found) return found.error();
    patched_tree out;
    out.tree = to_text(*git_tree_id(found->tree.get()));
    out.unreadable = std::move(found->marked.unreadable);
    out.strays = std::move(found->marked.strays);
    std::vector<git_tree_update> updates;
    for (const auto& [path, file] : found->work) {
        auto update = patch_file(in, file, key, facts, out);
        if (!update) return update.error();
        if (*update) updates.push_back(**update);
    }
    if (updates.empty()) return out;
    git_oid made;
    const no_rescan writing{in.repository};
    if (git_tree_create_updated(
            &made, in.repository, found->tree.get(), updates.size(), updates.data()
        ) != 0)
        return failed("cannot write the new tree");
    out.tree = to_text(made);
    return out;
}

result<std::vector<present_value>> read_tree(
    const tree_patch& in,
    const git_oid& commit,
    const promotion_key& key,
    std::span<const pipeline::manifest_field> fields
) {
    const auto found = find_work(in, commit, key, fields);
    if (!found) return found.error();
    std::vector<present_value> out;
    for (const auto& [path, work] : found->work) {
        const auto blob = read_file(in.repository, work.file);
        if (!blob) return blob.error();
        auto places = present_values(path, blob->text(), key, work.fields);
        if (!places) return error{errc::unprocessable, places.error().message};
        std::ranges::move(*places, std::back_inserter(out));
    }
    return out;
}

} // namespace sluice::promotion::git
