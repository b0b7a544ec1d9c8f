#include "promotion/strategies/settle.hpp"

#include <fmt/format.h>

namespace sluice::promotion {
namespace {

using pipeline::promotion_state;
using pipeline::pull_request_state;

constexpr std::size_t looked_back =
    200; // promotions into an environment whose commits are known as ours

boost::asio::awaitable<void> settle_held(const workshop& w, job& j) {
    home::promotion_filter filter;
    filter.ns = j.t.pipeline->name.ns;
    filter.pipeline = j.t.pipeline->name.name;
    filter.environment = j.t.into->name;
    filter.limit = looked_back;
    const auto known = co_await w.home.ledger.list(std::move(filter));
    if (!known) {
        co_await w.record.trouble(j.t, known.error(), j.work);
        co_return;
    }
    for (const auto& p : *known) {
        if (p.work.commit != j.tip) continue;
        j.ours.insert(j.tip); // recorded under another author's name: ours all the same
        j.stage = stage::again;
        co_return;
    }
    auto message = fmt::format(
        "somebody else pushed {} to branch {} of {}, and it is not overwritten; merge or delete "
        "that branch, then it goes on "
        "by itself",
        j.tip.substr(0, 12),
        j.branch,
        without_login(j.to.url)
    );
    const auto held = promotion_state::held;
    auto work = j.work;
    work.commit = j.t.promotion.work.commit;
    (void)co_await w.record.ended(
        j.t.promotion, held, std::string{held_branch}, std::move(message), std::move(work)
    );
}

// Of a merged one the branch goes, unless somebody pushed to it since.
void drop_branch(job& j, const std::string& merged) {
    if (j.branch != j.to.branch && j.tip == merged) j.leftover = j.tip;
}

// The base says it already. Was that us?
boost::asio::awaitable<void> find_merge(job& j) {
    const auto& before = j.t.promotion.work;
    bool merged = !before.commit.empty() && !j.forge;
    if (before.pull_request && j.forge) {
        const auto seen = co_await j.forge->get(before.pull_request->number);
        if (!seen) {
            j.found = finding::failed;
            j.why = seen.error();
            co_return;
        }
        merged = seen->is.state == pull_request_state::merged;
        j.work.pull_request = seen->is;
        if (merged) drop_branch(j, seen->is.head);
    }
    if (!merged) co_return;
    j.found = finding::merged;
    if (j.leftover.empty()) drop_branch(j, before.commit);
}

boost::asio::awaitable<void> settle_unchanged(const workshop& w, job& j) {
    auto message = fmt::format(
        "branch {} of {} says {} already",
        j.to.branch,
        without_login(j.to.url),
        j.t.promotion.id.revision
    );
    (void)co_await w.record.ended(
        j.t.promotion, promotion_state::no_change, "present", std::move(message), j.work
    );
}

boost::asio::awaitable<void> settle_newer(const workshop& w, job& j) {
    auto message = fmt::format(
        "branch {} of {} says {}, which is newer; nothing goes back but by rollback",
        j.to.branch,
        without_login(j.to.url),
        j.work.replaced
    );
    (void)co_await w.record.ended(
        j.t.promotion, promotion_state::no_change, "newer", std::move(message), j.work
    );
}

boost::asio::awaitable<void> settle_merged(const workshop& w, job& j) {
    auto message = fmt::format("{} is merged into {}", j.t.promotion.id.revision, j.to.branch);
    (void)co_await w.record.merged(j.t.promotion, j.work, std::move(message));
}

} // namespace

boost::asio::awaitable<void> look_back(job& j) {
    j.leftover.clear();
    if (j.found == finding::merged) {
        if (j.work.pull_request) j.work.pull_request->state = pull_request_state::merged;
        drop_branch(j, j.work.commit);
    } else if (j.found == finding::unchanged) {
        co_await find_merge(j);
    }
}

boost::asio::awaitable<void> settle(const workshop& w, job& j) {
    if (j.found == finding::to_push || j.found == finding::pushed) {
        if (j.work == j.t.promotion.work) co_return;
        const auto noted = co_await w.record.note(j.t, j.work);
        if (noted) {
            j.t.promotion.work = j.work;
            j.ours.insert(j.work.commit);
        } else {
            j.stage = stage::done;
        }
        co_return;
    }
    j.stage = stage::done;
    switch (j.found) {
    case finding::held: co_await settle_held(w, j); break;
    case finding::merged: co_await settle_merged(w, j); break;
    case finding::unchanged: co_await settle_unchanged(w, j); break;
    case finding::newer: co_await settle_newer(w, j); break;
    case finding::failed:
    case finding::to_push:
    case finding::pushed: co_await w.record.trouble(j.t, j.why, j.work); break;
    }
}

std::vector<promotion_key> keys_in(const workshop& w, const std::string& url) {
    std::vector<promotion_key> keys;
    for (const auto& pipeline : w.home.pipelines.all()) {
        for (const auto& environment : pipeline->environments) {
            const auto* policy = pipeline->policy_into(environment);
            const auto to = policy == nullptr ? std::nullopt : destination_of(*policy);
            if (to && to->url == url) keys.push_back({pipeline->name, environment.name});
        }
    }
    return keys;
}

} // namespace sluice::promotion
