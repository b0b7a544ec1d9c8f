#include "promotion/git/new_objects.hpp"

#include "promotion/git/oid_hash.hpp"

#include <boost/unordered/unordered_flat_set.hpp>
#include <fmt/format.h>

#include <ranges>

namespace sluice::promotion::git {
namespace {

// A promotion is one commit. Far more means that the tips of the remote were not known, and history would be sent again.
constexpr std::size_t most_commits = 5'000;

class collector {
public:
    explicit collector(git_repository* r) : repository_(r) {}

    // 0 or libgit2's error.
    int add_commit(const git_oid& id) {
        commit_ptr commit;
        tree_ptr tree;
        if (int code = open_into(commit, git_commit_lookup, repository_, &id)) return code;
        if (int code = open_into(tree, git_commit_tree, commit.get())) return code;
        tree_ptr before;
        if (git_commit_parentcount(commit.get()) > 0) {
            commit_ptr parent;
            if (int code = open_into(parent, git_commit_parent, commit.get(), 0U)) return code;
            if (int code = open_into(before, git_commit_tree, parent.get())) return code;
        }
        if (int code = add_tree(tree.get(), before.get())) return code;
        add(id);
        return 0;
    }

    [[nodiscard]] std::vector<git_oid> take() { return std::move(objects_); }

private:
    void add(const git_oid& id) {
        if (seen_.insert(id).second) objects_.push_back(id);
    }

    // Trees are as deep as paths are long, and git limits those.
    int add_tree(const git_tree* tree, const git_tree* before) {
        if (before != nullptr && git_oid_equal(git_tree_id(tree), git_tree_id(before))) return 0;
        if (seen_.contains(*git_tree_id(tree))) return 0;
        for (std::size_t i = 0; i < git_tree_entrycount(tree); ++i) {
            const auto* entry = git_tree_entry_byindex(tree, i);
            const auto* old = before != nullptr
                                  ? git_tree_entry_byname(before, git_tree_entry_name(entry))
                                  : nullptr;
            const auto* id = git_tree_entry_id(entry);
            if (old != nullptr && git_oid_equal(id, git_tree_entry_id(old))) continue;
            const auto type = git_tree_entry_type(entry);
            if (type == GIT_OBJECT_BLOB) add(*id);
            if (type != GIT_OBJECT_TREE) continue;
            tree_ptr below;
            tree_ptr below_before;
            if (int code = open_into(below, git_tree_lookup, repository_, id)) return code;
            if (old != nullptr && git_tree_entry_type(old) == GIT_OBJECT_TREE)
                if (int code = open_into(
                        below_before, git_tree_lookup, repository_, git_tree_entry_id(old)
                    ))
                    return code;
            if (int code = add_tree(below.get(), below_before.get())) return code;
        }
        add(*git_tree_id(tree));
        return 0;
    }

    git_repository* repository_;
    std::vector<git_oid> objects_;
    boost::unordered_flat_set<git_oid, oid_hash, oid_equal> seen_;
};

error unreadable() {
    return {errc::unavailable, fmt::format("cannot read what is to be pushed: {}", last_error())};
}

} // namespace

result<std::vector<git_oid>> new_objects(
    git_repository* repository, std::span<const git_oid> targets, std::span<const git_oid> known
) {
    if (targets.empty()) return std::vector<git_oid>{};
    revwalk_ptr walk;
    if (open_into(walk, git_revwalk_new, repository) != 0) return unreadable();
    for (const auto& id : targets)
        if (git_revwalk_push(walk.get(), &id) != 0) return unreadable();
    for (const auto& id : known)
        if (git_revwalk_hide(walk.get(), &id) != 0)
            git_error_clear(); // not in the cache: hides nothing
    std::vector<git_oid> commits;
    git_oid id;
    int code = 0;
    while ((code = git_revwalk_next(&id, walk.get())) == 0) {
        if (commits.size() == most_commits)
            return error{
                errc::unavailable,
                "more commits would be pushed than promotions make; the branches are fetched again"
            };
        commits.push_back(id);
    }
    if (code != GIT_ITEROVER) return unreadable();
    collector found{repository};
    for (const auto& commit : commits | std::views::reverse)
        if (found.add_commit(commit) != 0) return unreadable();
    return found.take();
}

} // namespace sluice::promotion::git
