#include "promotion/strategies/look.hpp"

#include "observe/log.hpp"
#include "promotion/strategies/tip.hpp"

#include <set>

namespace sluice::promotion {
namespace {

bool needs_fetch(const task& t) {
    if (t.what == duty::revive) return true;
    const auto* pr = t.pull_request();
    return t.what == duty::follow && pr != nullptr && pr->type == pipeline::forge::git;
}

std::vector<std::string> branches_of(const std::vector<task>& tasks) {
    std::set<std::string> all;
    for (const auto& t : tasks) {
        if (!needs_fetch(t)) continue;
        all.insert(destination_of(*t.policy)->branch);
        if (!t.promotion.work.branch.empty()) all.insert(t.promotion.work.branch);
    }
    return {all.begin(), all.end()};
}

void fail_to_look(const workshop& w, const task& t, const error& e) {
    w.remembered.failed_to_look(t.promotion.id);
    log::warn(
        "cannot see what became of it; it is looked at again later",
        {{"promotion", t.promotion.id.text()}, {"error", e.message}}
    );
}

boost::asio::awaitable<result<bool>>
branch_is_free(const workshop& w, desk& d, task t, tips fetched) {
    const auto base = fetched.find(destination_of(*t.policy)->branch);
    const auto tip = fetched.find(t.promotion.work.branch);
    if (tip == fetched.end() || base == fetched.end()) co_return true;
    tip_facts facts;
    facts.tip = tip->second;
    facts.base = base->second;
    facts.author = w.author;
    if (!t.promotion.work.commit.empty()) facts.recorded.insert(t.promotion.work.commit);
    auto ask = [facts](git::repository& in) { return owner_of(in, facts); };
    const auto owner = co_await d.use(std::move(ask));
    if (!owner) co_return owner.error();
    co_return *owner != tip_owner::other;
}

// Reads it again: the promotions carried by this very run, or a person, may have moved it since.
boost::asio::awaitable<bool> is_current(const workshop& w, task& t) {
    auto now = co_await w.home.ledger.show(t.promotion.id.text());
    if (!now) {
        fail_to_look(w, t, now.error());
        co_return false;
    }
    const bool same = now->promotion.state == t.promotion.state;
    t.promotion = std::move(now->promotion);
    const auto ended = w.remembered.ended.find(t.promotion.id);
    if (ended != w.remembered.ended.end()) ended->second = t.promotion;
    co_return same; // else the next pass sees what there is to do
}

boost::asio::awaitable<void>
look_at(const workshop& w, desk& d, task t, tips fetched, const credentials& login) {
    const bool current = co_await is_current(w, t);
    if (!current) co_return;
    auto api = w.pull_requests.of(t, login);
    if (!api) {
        fail_to_look(w, t, api.error());
    } else if (t.what == duty::revive) {
        co_await revive(w, d, std::move(t), fetched);
    } else if (t.what == duty::tidy) {
        co_await tidy(w, d, std::move(t), std::move(*api));
    } else if (*api) {
        co_await follow_pull_request(w, d, std::move(t), std::move(*api));
    } else if (t.pull_request() != nullptr) {
        co_await follow_branch(w, d, std::move(t), fetched);
    }
}

} // namespace

boost::asio::awaitable<void>
look_after(const workshop& w, desk& d, std::vector<task> tasks, credentials login) {
    tips fetched;
    const auto branches = branches_of(tasks);
    if (!branches.empty()) {
        auto got = co_await d.fetch(branches);
        if (!got) {
            for (const auto& t : tasks) fail_to_look(w, t, got.error());
            co_return;
        }
        fetched = std::move(*got);
        for (const auto& t : tasks) {
            if (needs_fetch(t)) w.remembered.worked(t.promotion.id);
        }
    }
    for (auto& t : tasks) {
        if (w.stopping) co_return;
        co_await look_at(w, d, std::move(t), fetched, login);
    }
}

boost::asio::awaitable<void> revive(const workshop& w, desk& d, task t, const tips& fetched) {
    const auto& p = t.promotion;
    if (p.state == pipeline::promotion_state::held) {
        const auto is_free = co_await branch_is_free(w, d, t, fetched);
        if (!is_free) {
            fail_to_look(w, t, is_free.error());
        } else if (*is_free) {
            (void)co_await w.record.reopened(t, "the branch is free again");
        }
        co_return;
    }
    const auto base = fetched.find(destination_of(*t.policy)->branch);
    if (base == fetched.end()) co_return;
    auto& met = w.remembered.tried[p.id];
    // Before a commit was made, base_commit is what it failed on.
    const bool known = p.work.commit.empty() && !p.work.base_commit.empty();
    const auto before = known && met.base.empty() ? p.work.base_commit : met.base;
    met.base = base->second;
    if (!before.empty() && before != base->second) {
        (void)co_await w.record.reopened(t, "its base branch has changed");
    }
}

} // namespace sluice::promotion
