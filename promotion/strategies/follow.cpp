#include "observe/log.hpp"
#include "promotion/strategies/look.hpp"
#include "promotion/strategies/plan.hpp"
#include "promotion/strategies/pull_request.hpp"

#include <fmt/format.h>

namespace sluice::promotion {
namespace {

using pipeline::promotion_state;
using pipeline::pull_request_state;

boost::asio::awaitable<result<std::vector<pipeline::promotion>>>
others_into(const workshop& w, const task& t) {
    home::promotion_filter filter;
    filter.ns = t.pipeline->name.ns;
    filter.pipeline = t.pipeline->name.name;
    filter.environment = t.into->name;
    filter.limit = 100;
    return w.home.ledger.list(std::move(filter));
}

void cannot_see(const workshop& w, const task& t, const error& e) {
    w.remembered.failed_to_look(t.promotion.id);
    log::warn(
        "cannot see what became of the pull request; it is looked at again later",
        {{"promotion", t.promotion.id.text()}, {"error", e.message}}
    );
}

boost::asio::awaitable<void> was_merged(const workshop& w, desk& d, task t, forge::view seen) {
    auto others = co_await others_into(w, t);
    if (!others) {
        cannot_see(w, t, others.error());
        co_return;
    }
    const bool it_was_us = co_await settle_merge(w, t.promotion, std::move(*others), seen);
    if (it_was_us) {
        co_await d.remove(t.promotion.work.branch, seen.is.head);
    } else if (t.promotion.state == promotion_state::pull_request_open) {
        (void)co_await w.record.reopened(t, "its pull request was merged with an older commit");
    }
}

boost::asio::awaitable<void>
merge_if_ready(const workshop& w, desk& d, task t, forge::api& forge, forge::view seen) {
    const auto& how = t.pull_request()->auto_merge;
    const bool withdrawn = t.promotion.reason == "evidence";
    if (!how || (seen.armed && !withdrawn)) co_return;
    if (withdrawn) { // also what is not known to be armed: Gitea does not tell
        const auto disarmed = co_await forge.disarm(seen);
        if (!disarmed) cannot_see(w, t, disarmed.error());
        co_return;
    }
    if (seen.is.head != t.promotion.work.commit)
        co_return; // a person works on it: a person merges it
    const auto asked = co_await forge.merge_when_ready(seen, *how);
    if (!asked) {
        cannot_see(w, t, asked.error());
    } else if (*asked == forge::auto_merge::merged) {
        seen.is.state = pull_request_state::merged;
        co_await was_merged(w, d, std::move(t), std::move(seen));
    }
}

boost::asio::awaitable<void>
is_open(const workshop& w, desk& d, task t, forge::api& forge, forge::view seen) {
    const auto& before = *t.promotion.work.pull_request;
    const bool by_hand = seen.is.head != t.promotion.work.commit;
    const bool reopened = t.promotion.state == promotion_state::closed;
    if (reopened || (by_hand && seen.is.head != before.head)) {
        auto work = t.promotion.work;
        work.pull_request = seen.is;
        const auto* what = reopened ? "was opened again" : "got commits of somebody else";
        auto message = fmt::format("{} {}", seen.is.url, what);
        const auto opened = co_await w.record.opened(t, std::move(work), std::move(message));
        if (!opened) co_return;
    }
    co_await merge_if_ready(w, d, std::move(t), forge, std::move(seen));
}

// Open or merged; nothing when it was closed, or never made.
boost::asio::awaitable<result<std::optional<forge::view>>>
still_open(forge::api& forge, const pipeline::promotion& p) {
    using found = result<std::optional<forge::view>>;
    if (!p.work.pull_request) {
        // It may have ended between making the pull request and writing that down.
        auto open = co_await forge.find_open(p.work.branch, p.work.base_branch);
        co_return open;
    }
    auto seen = co_await forge.get(p.work.pull_request->number);
    if (!seen) co_return seen.error();
    if (seen->is.state == pull_request_state::closed) co_return std::optional<forge::view>{};
    co_return found{std::optional{std::move(*seen)}};
}

std::string farewell(const pipeline::promotion& p) {
    return fmt::format(
        "Closed by Sluice: the promotion {} is {}. {}", p.id.text(), to_string(p.state), p.message
    );
}

} // namespace

boost::asio::awaitable<void>
follow_pull_request(const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge) {
    if (!t.promotion.work.pull_request) co_return;
    auto seen = co_await forge->get(t.promotion.work.pull_request->number);
    if (!seen) {
        cannot_see(w, t, seen.error());
        co_return;
    }
    w.remembered.worked(t.promotion.id);
    if (seen->is.state == pull_request_state::merged) {
        co_await was_merged(w, d, std::move(t), std::move(*seen));
    } else if (seen->is.state == pull_request_state::open) {
        co_await is_open(w, d, std::move(t), *forge, std::move(*seen));
    } else if (t.promotion.state == promotion_state::pull_request_open) {
        auto work = t.promotion.work;
        work.pull_request = seen->is;
        auto message = fmt::format(
            "{} was closed without a merge; `sluice retry` opens a new one", seen->is.url
        );
        (void)co_await w.record.ended(
            t.promotion, promotion_state::closed, "closed", std::move(message), std::move(work)
        );
    }
}

boost::asio::awaitable<void>
follow_branch(const workshop& w, desk& d, task t, const tips& fetched) {
    const auto& p = t.promotion;
    const auto to = *destination_of(*t.policy);
    const auto base = fetched.find(to.branch);
    if (base == fetched.end()) co_return;
    auto ask = [&p, &to, base = base->second](git::repository& in) -> result<bool> {
        auto merged = in.contains(base, p.work.commit);
        if (merged && !*merged) merged = in.says(base, key_of(p.id), p.facts, to.fields);
        return merged;
    };
    const auto merged = co_await d.use(std::move(ask));
    if (!merged) {
        cannot_see(w, t, merged.error());
        co_return;
    }
    w.remembered.worked(p.id);
    const bool is_there = fetched.contains(p.work.branch);
    if (*merged) {
        auto message = fmt::format("branch {} is merged into {}", p.work.branch, to.branch);
        const auto written = co_await w.record.merged(p, p.work, std::move(message));
        if (written && is_there) co_await d.remove(p.work.branch, p.work.commit);
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

boost::asio::awaitable<void>
tidy(const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge) {
    const auto& p = t.promotion;
    const auto others = co_await others_into(w, t);
    if (!others) {
        cannot_see(w, t, others.error());
        co_return;
    }
    for (const auto& o : *others) {
        if (o.id != p.id && o.work.branch == p.work.branch && o.created_at > p.created_at) {
            w.remembered.ended.erase(p.id); // that one has the branch now
            co_return;
        }
    }
    std::string head = p.work.commit;
    if (forge) {
        auto open = co_await still_open(*forge, p);
        if (!open) {
            cannot_see(w, t, open.error());
            co_return;
        }
        if (*open && (*open)->is.state == pull_request_state::merged) {
            w.remembered.ended.erase(p.id);
            co_await was_merged(w, d, std::move(t), std::move(**open));
            co_return;
        }
        if (*open) {
            head = (*open)->is.head == p.work.commit ? p.work.commit : std::string{};
            const auto closed = co_await forge->close(**open, farewell(p));
            if (!closed) {
                cannot_see(w, t, closed.error());
                co_return;
            }
            log::info(
                "pull request closed", {{"promotion", p.id.text()}, {"url", (*open)->is.url}}
            );
        }
        if (p.work.pull_request) {
            auto work = p.work;
            work.pull_request->state = pull_request_state::closed;
            // Only a cancelled one is asked for again after a restart; the others are remembered until then.
            (void)co_await w.record.note(t, std::move(work));
        }
    }
    co_await d.remove(p.work.branch, head);
    w.remembered.ended.erase(p.id);
}

} // namespace sluice::promotion
