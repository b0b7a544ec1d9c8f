#include "promotion/git/repository_impl.hpp"

#include <algorithm>
#include <string_view>

namespace sluice::promotion::git {
namespace {

bool is_commit(git_repository* repository, const git_oid& id) {
    commit_ptr found;
    return open_into(found, git_commit_lookup, repository, &id) == 0;
}

bool wrote(const author& a, const git_signature* s) {
    return s != nullptr && a.name == s->name && a.email == s->email;
}

} // namespace

result<bool> repository::contains(const std::string& tip, const std::string& ancestor) {
    git_oid newer;
    git_oid older;
    if (!parse_id(tip, newer) || !parse_id(ancestor, older)) return false;
    if (!is_commit(impl_->handle(), newer) || !is_commit(impl_->handle(), older)) return false;
    if (git_oid_equal(&newer, &older)) return true;
    const int code = git_graph_descendant_of(impl_->handle(), &newer, &older);
    if (code < 0) return impl_->failed("cannot read the history");
    return code == 1;
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
