#include "promotion/git/find_files.hpp"

#include "promotion/git/blob_text.hpp"
#include "promotion/manifest/find_markers.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion::git {
namespace {

// Folders of a repository nobody made by hand could go on until the stack ends.
constexpr int deepest = 200;

bool is_manifest(std::string_view name) {
    return name.ends_with(".yaml") || name.ends_with(".yml");
}

bool is_regular(git_filemode_t mode) {
    return mode == GIT_FILEMODE_BLOB || mode == GIT_FILEMODE_BLOB_EXECUTABLE;
}

class finder {
public:
    finder(git_repository* r, const promotion_key& key, marker_index& index, observe::counter& read)
        : repository_(r), index_(index), read_(read), wanted_(index.number_of(key_text(key))) {}

    // False when libgit2 failed.
    bool look_into(const git_oid& id, const std::string& path, int depth = 0) {
        if (const auto* known = index_.find(id);
            known != nullptr && !known->remarkable && !known->may_hold(wanted_))
            return true;
        tree_ptr tree;
        if (open_into(tree, git_tree_lookup, repository_, &id) != 0) return false;
        indexed all;
        for (std::size_t i = 0; i < git_tree_entrycount(tree.get()); ++i)
            if (!look_at(git_tree_entry_byindex(tree.get(), i), path, depth, all)) return false;
        if (index_.find(id) == nullptr) index_.add(id, std::move(all));
        return true;
    }

    [[nodiscard]] marked_files take() { return std::move(found_); }

private:
    bool look_at(const git_tree_entry* entry, const std::string& folder, int depth, indexed& all) {
        const auto mode = git_tree_entry_filemode(entry);
        const std::string_view name = git_tree_entry_name(entry);
        const auto& id = *git_tree_entry_id(entry);
        if (mode == GIT_FILEMODE_TREE && depth == deepest) {
            found_.unreadable.push_back(
                fmt::format("{}{}: folders too deep to search", folder, name)
            );
            all.remarkable = true;
            return true;
        }
        if (mode == GIT_FILEMODE_TREE) {
            if (!look_into(id, fmt::format("{}{}/", folder, name), depth + 1)) return false;
            all.include(*index_.find(id));
            return true;
        }
        if (!is_regular(mode) || !is_manifest(name)) return true;
        const auto* known = index_.find(id);
        if (known == nullptr && (known = read(id)) == nullptr) return false;
        all.include(*known);
        note({fmt::format("{}{}", folder, name), id, mode}, *known);
        return true;
    }

    void note(tree_file file, const indexed& what) {
        if (what.remarks) {
            for (const auto& text : what.remarks->unreadable)
                found_.unreadable.push_back(fmt::format("{}:{}", file.path, text));
            for (const auto& text : what.remarks->strays)
                found_.strays.push_back(fmt::format("{}:{}", file.path, text));
        }
        if (what.may_hold(wanted_)) found_.files.push_back(std::move(file));
    }

    const indexed* read(const git_oid& id) {
        odb_ptr objects;
        if (open_into(objects, git_repository_odb, repository_) != 0) return nullptr;
        const auto blob = read_blob(objects.get(), id);
        if (blob.state == blob_state::failed) return nullptr;
        read_.add();
        remarks told;
        indexed what;
        if (blob.state == blob_state::too_large) {
            told.unreadable.push_back(fmt::format(
                "1: larger than {} MiB, so it is not searched for markers", largest_manifest >> 20U
            ));
        } else if (blob.text().find(marker_bytes) != std::string_view::npos) {
            read_markers(blob.text(), what, told);
        }
        what.remarkable = !told.unreadable.empty() || !told.strays.empty();
        if (what.remarkable) what.remarks = std::make_shared<const remarks>(std::move(told));
        return &index_.add(id, std::move(what));
    }

    void read_markers(std::string_view text, indexed& what, remarks& told) {
        auto found = find_markers(text);
        if (!found) return told.unreadable.push_back(found.error().message);
        for (const auto& marked : found->scalars)
            what.keys.push_back(index_.number_of(key_text(marked.marker.promotion)));
        std::ranges::sort(what.keys);
        what.keys.erase(std::unique(what.keys.begin(), what.keys.end()), what.keys.end());
        for (const auto& stray : found->strays)
            told.strays.push_back(fmt::format("{}: {}", stray.line, stray.why));
    }

    git_repository* repository_;
    marker_index& index_;
    observe::counter& read_;
    key_number wanted_;
    marked_files found_;
};

} // namespace

std::string key_text(const promotion_key& key) {
    return marker{.promotion = key, .writes = fact::revision}.text();
}

result<marked_files> find_files(
    git_repository* repository,
    const git_oid& tree,
    const promotion_key& key,
    marker_index& index,
    observe::counter& read
) {
    finder f{repository, key, index, read};
    if (!f.look_into(tree, ""))
        return error{errc::unavailable, fmt::format("cannot read the files: {}", last_error())};
    index.save();
    return f.take();
}

} // namespace sluice::promotion::git
