#pragma once

#include "promotion/git/cache.hpp"
#include "promotion/git/marker_index.hpp"
#include "promotion/git/oid_hash.hpp"
#include "promotion/git/patch_tree.hpp"
#include "promotion/git/repository.hpp"
#include "promotion/git/warm_caches.hpp"
#include "promotion/git/wire.hpp"

#include <boost/unordered/unordered_flat_set.hpp>

#include <optional>

namespace sluice::promotion::git {

using commit_set = boost::unordered_flat_set<git_oid, oid_hash, oid_equal>;

struct repository::impl {
    impl(const environment& e, git::remote r, std::unique_ptr<git::wire> w, warm_cache c)
        : env(e), remote(std::move(r)), wire(std::move(w)), cache(std::move(c.cache)),
          index(std::move(c.index)) {}

    environment env;
    git::remote remote;
    std::unique_ptr<git::wire> wire;
    std::unique_ptr<git::cache> cache;
    std::optional<marker_index> index; // read when it is first needed
    branch_tips known;                 // what the remote has, as far as a push needs it

    [[nodiscard]] git_repository* handle() const { return cache->repository(); }
    // Why libgit2 failed; a damaged cache is remembered, so that the next fetch builds it anew. Transient.
    [[nodiscard]] error failed(std::string_view doing);
    // The same for an error that was made elsewhere.
    [[nodiscard]] error noticed(error e);

    // The commits of `tip` that are not of `base`; null when they are many or cannot be read. A promotion's commit stands on one
    // base, and those of a batch stand on the same: for them this is walked once.
    [[nodiscard]] const commit_set* arrived(const git_oid& tip, const git_oid& base);
    struct arrivals {
        git_oid tip;
        git_oid base;
        commit_set commits;
    };
    std::optional<arrivals> last_arrivals;

    // Asks what needs the marker index, of a commit.
    template <class Ask>
    auto ask_tree(const std::string& commit, Ask ask)
        -> decltype(ask(std::declval<const tree_patch&>(), std::declval<const git_oid&>()));
    [[nodiscard]] result<branch_tips> fetch_once(const std::vector<std::string>& branches);
    [[nodiscard]] result<branch_tips> fetch(const std::vector<std::string>& branches);
    [[nodiscard]] result<std::vector<ref_outcome>> push(const std::vector<ref_update>& updates);
    [[nodiscard]] result<std::vector<ref_outcome>> push_once(const std::vector<ref_update>& updates
    );
    // A server may refuse all for the sake of one (a pre-receive hook does): each that was not taken gets its own chance. Two
    // that get the very answer given to all are believed, where that answer was `about_all`.
    void push_singly(
        const std::vector<ref_update>& updates, std::vector<ref_outcome>& out, bool about_all
    );
    [[nodiscard]] result<std::vector<git_oid>> objects_for(const std::vector<ref_update>& updates);
};

// Counts and times one operation by how it ended.
template <class F>
auto measured(observe::registry& metrics, std::string_view operation, F run) {
    const auto begin = std::chrono::steady_clock::now();
    auto out = run();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    const auto outcome = [&]() -> std::string {
        if (out) return "done";
        switch (out.error().code) {
        case errc::unavailable:
        case errc::timed_out:
        case errc::too_many_requests: return "retry";
        default: return "failed";
        }
    }();
    metrics
        .counter(
            "sluice_git_operations_total",
            "Git operations by how they ended: done, retry (it may work later), failed",
            {{"operation", std::string{operation}}, {"outcome", outcome}}
        )
        .add();
    metrics
        .histogram(
            "sluice_git_operation_seconds",
            "How long git operations took",
            {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300},
            {{"operation", std::string{operation}}}
        )
        .observe(took.count());
    return out;
}

} // namespace sluice::promotion::git
