#include "promotion/git/repository_impl.hpp"

#include <algorithm>
#include <string_view>

namespace sluice::promotion::git {
namespace {

constexpr std::size_t most_arrivals = 1'000; // beyond, the branch is another one than it was

commit_ptr find_commit(git_repository* repository, const git_oid& id) {
    commit_ptr found;
    (void)open_into(found, git_commit_lookup, repository, &id);
    return found;
}

bool is_commit(git_repository* repository, const git_oid& id) {
    return find_commit(repository, id) != nullptr;
}

bool wrote(const author& a, const git_signature* s) {
    return s != nullptr && a.name == s->name && a.email == s->email;
}

} // namespace

result<bool> repository::contains(const std::string& tip, const std::string& ancestor) {
    git_oid newer;
    git_oid older;
    if (!parse_id(tip, newer) || !parse_id(ancestor, older)) return false;
    const auto asked = find_commit(impl_->handle(), older);
    if (!asked || !is_commit(impl_->handle(), newer)) return false;
    if (git_oid_equal(&newer, &older)) return true;
    if (git_commit_parentcount(asked.get()) == 1) {
        if (const auto* since = impl_->arrived(newer, *git_commit_parent_id(asked.get(), 0)))
            return since->contains(older);
    }
    const int code = git_graph_descendant_of(impl_->handle(), &newer, &older);
    if (code < 0) return impl_->failed("cannot read the history");
    return code == 1;
}

const commit_set* repository::impl::arrived(const git_oid& tip, const git_oid& base) {
    const auto is_it = [&](const arrivals& a) {
        return git_oid_equal(&a.tip, &tip) != 0 && git_oid_equal(&a.base, &base) != 0;
    };
    if (last_arrivals && is_it(*last_arrivals)) return &last_arrivals->commits;
    revwalk_ptr walk;
    if (open_into(walk, git_revwalk_new, handle()) != 0 ||
        git_revwalk_push(walk.get(), &tip) != 0 || git_revwalk_hide(walk.get(), &base) != 0)
        return nullptr;
    arrivals found{tip, base, {}};
    git_oid id;
    int code = 0;
    while ((code = git_revwalk_next(&id, walk.get())) == 0) {
        if (found.commits.size() == most_arrivals) return nullptr;
        found.commits.insert(id);
    }
    if (code != GIT_ITEROVER) return nullptr;
    return &last_arrivals.emplace(std::move(found)).commits;
}

result<bool> repository::only_by(
    const std::string& tip, const std::string& base, std::span<const author> authors
) {
    git_oid from;
    git_oid to;
    // What we do not know is not ours.
    if (!parse_id(tip, from) || !is_commit(impl_->handle(), from)) return false;
    if (!parse_id(base, to) || !is_commit(impl_->handle(), to)) return false;
    revwalk_ptr walk;
    if (open_into(walk, git_revwalk_new, impl_->handle()) != 0 ||
        git_revwalk_push(walk.get(), &from) != 0 || git_revwalk_hide(walk.get(), &to) != 0)
        return impl_->failed("cannot read the history");
    git_oid id;
    int code = 0;
    while ((code = git_revwalk_next(&id, walk.get())) == 0) {
        commit_ptr commit;
        if (open_into(commit, git_commit_lookup, impl_->handle(), &id) != 0)
            return impl_->failed("cannot read the history");
        // The committer too: whoever amends our commit leaves the author as it was.
        const auto ours = [&](const author& a) {
            return wrote(a, git_commit_author(commit.get())) &&
                   wrote(a, git_commit_committer(commit.get()));
        };
        if (std::ranges::none_of(authors, ours)) return false;
    }
    if (code != GIT_ITEROVER) return impl_->failed("cannot read the history");
    return true;
}

} // namespace sluice::promotion::git
