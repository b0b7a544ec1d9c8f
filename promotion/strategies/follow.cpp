#include "promotion/strategies/look.hpp"
#include "promotion/strategies/merging.hpp"
#include "promotion/strategies/plan.hpp"

#include <fmt/format.h>

namespace sluice::promotion {
namespace {

using pipeline::promotion_state;
using pipeline::pull_request_state;

// It stays as it is, and says so.
boost::asio::awaitable<void> is_elsewhere(const workshop& w, task t) {
    const auto& p = t.promotion;
    if (p.state != promotion_state::pull_request_open) co_return;
    auto message = fmt::format(
        "{} is in {} for branch {}, and the Pipeline names another place now: it is not followed "
        "any more; merge or close it there, or cancel the promotion",
        p.work.pull_request ? p.work.pull_request->url : "branch " + p.work.branch,
        p.work.repository,
        p.work.base_branch
    );
    if (message == p.message) co_return;
    auto work = p.work;
    (void)co_await w.record.opened(t, std::move(work), std::move(message));
}

boost::asio::awaitable<void>
is_open(const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge, forge::view seen) {
    const auto& before = *t.promotion.work.pull_request;
    const bool by_hand = seen.is.head != t.promotion.work.commit;
    const bool reopened = t.promotion.state == promotion_state::closed;
    if (reopened || (by_hand && seen.is.head != before.head)) {
        auto work = t.promotion.work;
        work.pull_request = seen.is;
        const auto* what = reopened ? "was opened again" : "got commits of somebody else";
        auto message = fmt::format("{} {}", seen.is.url, what);
        // The next look, which follows what was written, merges it.
        (void)co_await w.record.opened(t, std::move(work), std::move(message));
        co_return;
    }
    co_await merge_if_ready(w, d, std::move(t), std::move(forge), std::move(seen));
}

boost::asio::awaitable<void> is_closed(const workshop& w, task t, forge::view seen) {
    const auto& p = t.promotion;
    auto work = p.work;
    work.pull_request = seen.is;
    if (has_arrived(p.state)) {
        (void)co_await w.record.note(t, std::move(work));
        w.remembered.ended.erase(p.id);
    } else if (p.state == promotion_state::pull_request_open) {
        auto message = fmt::format(
            "{} was closed without a merge; `sluice retry` opens a new one", seen.is.url
        );
        (void)co_await w.record.ended(
            p, promotion_state::closed, "closed", std::move(message), std::move(work)
        );
    }
}

// A branch without a forge is merged when the base holds its commit, or says what it says.
boost::asio::awaitable<result<bool>> is_in(desk& d, task t, std::string base) {
    auto ask = [&p = t.promotion, to = *destination_of(*t.policy), base](git::repository& in
               ) -> result<bool> {
        auto merged = in.contains(base, p.work.commit);
        if (!merged || *merged) return merged;
        const auto places = in.places(base, key_of(p.id), to.fields);
        if (!places) return places.error();
        return all_say(*places, p.facts);
    };
    auto merged = co_await d.use(std::move(ask));
    co_return merged;
}

} // namespace

boost::asio::awaitable<void>
follow_pull_request(const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge) {
    if (!t.promotion.work.pull_request) co_return;
    if (!in_same_repository(t.promotion.work, *destination_of(*t.policy))) {
        co_await is_elsewhere(w, std::move(t));
        co_return;
    }
    auto seen = co_await forge->get(t.promotion.work.pull_request->number);
    if (!seen) {
        cannot_see(w, t, seen.error());
        co_return;
    }
    w.remembered.worked(t.promotion.id);
    if (seen->is.state == pull_request_state::merged) {
        co_await was_merged(w, d, std::move(t), std::move(*seen));
    } else if (seen->is.state == pull_request_state::closed) {
        co_await is_closed(w, std::move(t), std::move(*seen));
    } else if (!has_arrived(t.promotion.state)) {
        co_await is_open(w, d, std::move(t), std::move(forge), std::move(*seen));
    }
}

boost::asio::awaitable<void>
follow_branch(const workshop& w, desk& d, task t, const tips& fetched) {
    const auto& p = t.promotion;
    const auto to = *destination_of(*t.policy);
    if (!is_here(p.work, to)) {
        co_await is_elsewhere(w, std::move(t));
        co_return;
    }
    const auto base = fetched.find(to.branch);
    if (base == fetched.end()) co_return;
    const auto merged = co_await is_in(d, t, base->second);
    if (!merged) {
        cannot_see(w, t, merged.error());
        co_return;
    }
    w.remembered.worked(p.id);
    const bool is_there = fetched.contains(p.work.branch);
    if (*merged && is_there) co_await d.remove(p.work.branch, p.work.commit);
    if (has_arrived(p.state)) {
        if (*merged || !is_there) w.remembered.ended.erase(p.id);
    } else if (*merged) {
        auto message = fmt::format("branch {} is merged into {}", p.work.branch, to.branch);
        (void)co_await w.record.merged(p, p.work, std::move(message));
    } else if (is_there && p.state == promotion_state::closed) {
        auto message = fmt::format("branch {} is there again", p.work.branch);
        (void)co_await w.record.opened(t, p.work, std::move(message));
    } else if (!is_there && p.state == promotion_state::pull_request_open) {
        auto message = fmt::format(
            "branch {} was deleted without a merge; `sluice retry` pushes it again", p.work.branch
        );
        (void)co_await w.record.ended(p, promotion_state::closed, "closed", std::move(message));
    }
}

} // namespace sluice::promotion
