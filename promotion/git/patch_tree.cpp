#include "promotion/git/patch_tree.hpp"

#include "promotion/git/blob_text.hpp"
#include "promotion/git/find_files.hpp"
#include "promotion/git/no_rescan.hpp"
#include "promotion/manifest/field.hpp"
#include "promotion/manifest/patch.hpp"

#include <fmt/format.h>

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

// What the first place of a file says, in the order of manifest/patch.
std::string first_value(std::string_view bytes, const promotion_key& key, const file_work& work) {
    if (work.marked) {
        const auto found = find_markers(bytes);
        if (!found) return {};
        for (const auto& marked : found->scalars)
            if (marked.marker.promotion == key) return marked.scalar.value;
    }
    if (work.fields.empty()) return {};
    const auto place = find_field(bytes, work.fields.front());
    return place ? place->value : std::string{};
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
    odb_ptr objects;
    if (open_into(objects, git_repository_odb, in.repository) != 0) return failed(work.file.path);
    const auto blob = read_blob(objects.get(), work.file.blob);
    if (blob.state == blob_state::failed) return failed(work.file.path);
    if (blob.state == blob_state::too_large)
        return error{
            errc::unprocessable,
            fmt::format("{}: larger than {} MiB", work.file.path, largest_manifest >> 20U)
        };
    auto patched = patch(work.file.path, blob.text(), key, facts, work.fields);
    if (!patched) return error{errc::unprocessable, patched.error().message};
    if (out.places == 0 && patched->places > 0) {
        // When every place changes, the first change tells what the first place says, and nothing is parsed again.
        const bool all_change = patched->changes.size() == patched->places;
        out.current =
            all_change ? patched->changes.front().from : first_value(blob.text(), key, work);
    }
    out.places += patched->places;
    for (auto& c : patched->changes)
        out.changes.push_back({work.file.path, c.line, std::move(c.from), std::move(c.to)});
    if (!patched->bytes || !in.write) return std::optional<git_tree_update>{};
    auto update = store(in.repository, work, *patched->bytes);
    if (!update) return update.error();
    return std::optional{*update};
}

} // namespace

result<patched_tree> patch_tree(
    const tree_patch& in,
    const git_oid& commit_id,
    const promotion_key& key,
    const pipeline::revision_facts& facts,
    std::span<const pipeline::manifest_field> fields
) {
    commit_ptr commit;
    tree_ptr tree;
    if (open_into(commit, git_commit_lookup, in.repository, &commit_id) != 0 ||
        open_into(tree, git_commit_tree, commit.get()) != 0)
        return failed("cannot read the base commit");
    const auto tree_id = *git_tree_id(tree.get());
    auto marked = find_files(in.repository, tree_id, key, in.index, in.blobs_read);
    if (!marked) return marked.error();
    auto work = gather(tree.get(), std::move(marked->files), fields);
    if (!work) return work.error();

    patched_tree out;
    out.tree = to_text(tree_id);
    out.unreadable = std::move(marked->unreadable);
    out.strays = std::move(marked->strays);
    std::vector<git_tree_update> updates;
    for (const auto& [path, file] : *work) {
        auto update = patch_file(in, file, key, facts, out);
        if (!update) return update.error();
        if (*update) updates.push_back(**update);
    }
    if (updates.empty()) return out;
    git_oid made;
    const no_rescan writing{in.repository};
    if (git_tree_create_updated(&made, in.repository, tree.get(), updates.size(), updates.data()) !=
        0)
        return failed("cannot write the new tree");
    out.tree = to_text(made);
    return out;
}

} // namespace sluice::promotion::git
