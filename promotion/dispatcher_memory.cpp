#include "observe/log.hpp"
#include "promotion/dispatcher.hpp"

#include <fmt/format.h>

#include <array>

// What the dispatcher keeps in mind between two looks, and what it tells of itself.
namespace sluice::promotion {

using pipeline::promotion_state;

namespace {

constexpr std::size_t recollected_at_most = 200; // ended ones of each kind, after a start

// Those that can end with something still open outside.
constexpr std::array leaving{
    promotion_state::closed,
    promotion_state::cancelled,
    promotion_state::superseded,
    promotion_state::deployed,
    promotion_state::deploy_failed,
};

} // namespace

boost::asio::awaitable<void> dispatcher::recollect() {
    const auto edge = w_.time.now() - options_.pace.second_looks;
    for (const auto state : leaving) {
        home::promotion_filter filter;
        filter.state = to_string(state);
        filter.limit = recollected_at_most;
        auto ended = co_await w_.home.ledger.list(std::move(filter));
        if (!ended) {
            tell(ended.error().message);
            co_return;
        }
        for (auto& p : *ended) {
            if (p.updated_at > edge && duty_of(p) != duty::none) {
                w_.remembered.ended.insert_or_assign(p.id, std::move(p));
            }
        }
    }
    recollected_ = true;
}

boost::asio::awaitable<void> dispatcher::find_vanished(live_promotions live) {
    std::set<pipeline::promotion_id> present;
    std::set<pipeline::promotion_id> at_work;
    for (const auto& p : *live) {
        present.insert(p.id);
        if (!p.work.commit.empty() && p.state != promotion_state::merged) at_work.insert(p.id);
    }
    for (const auto& id : at_work_) {
        if (present.contains(id)) continue;
        auto shown = co_await w_.home.ledger.show(id.text());
        if (!shown) continue;
        if (duty_of(shown->promotion) != duty::none) {
            w_.remembered.ended.insert_or_assign(id, std::move(shown->promotion));
        }
    }
    at_work_ = std::move(at_work);
    const auto edge = w_.time.now() - options_.pace.second_looks;
    std::erase_if(w_.remembered.ended, [&](const auto& entry) {
        return present.contains(entry.first) || entry.second.updated_at < edge;
    });
    const auto is_gone = [&](const auto& entry) {
        return !present.contains(entry.first) && !w_.remembered.ended.contains(entry.first);
    };
    std::erase_if(w_.remembered.looks, is_gone);
    std::erase_if(w_.remembered.tried, is_gone);
    const auto is_absent = [&](const auto& id) { return !present.contains(id); };
    std::erase_if(w_.remembered.paused, is_absent);
    std::erase_if(w_.remembered.left_behind, is_absent);
}

void dispatcher::look_again(const pipeline::object_name& pipeline) {
    w_.remembered.was_told_of(pipeline, w_.time.now());
    wake();
}

void dispatcher::count(const std::vector<pipeline::promotion>& live) {
    std::map<promotion_state, std::size_t> by_state;
    for (const auto state :
         {promotion_state::pending,
          promotion_state::awaiting_approval,
          promotion_state::held,
          promotion_state::running,
          promotion_state::pull_request_open,
          promotion_state::merged,
          promotion_state::failed}) {
        by_state[state] = 0;
    }
    for (const auto& p : live) ++by_state[p.state];
    for (const auto& [state, n] : by_state) {
        metrics_
            .gauge(
                "sluice_promotions",
                "Promotions that have not ended, and failed ones",
                {{"state", std::string{to_string(state)}}}
            )
            .set(static_cast<double>(n));
    }
    const std::lock_guard lock{mutex_};
    live_ = live.size();
}

void dispatcher::tell(std::string problem) {
    const std::lock_guard lock{mutex_};
    if (!problem.empty() && problem != problem_) {
        log::warn("promotions cannot be read now", {{"error", problem}});
    }
    problem_ = std::move(problem);
}

bool dispatcher::wedged() const {
    const std::lock_guard lock{mutex_};
    const auto edge = steady::now() - options_.wedged_after;
    if (beat_ < edge) return true;
    for (const auto& [lane, since] : busy_) {
        if (since < edge) return true;
    }
    return false;
}

home::part_health dispatcher::health() const {
    const bool stuck = wedged();
    const std::lock_guard lock{mutex_};
    if (stuck) {
        return {
            "executor",
            false,
            "a repository has been at work for too long; look at its server, then restart",
            /*serving=*/true
        };
    }
    if (!problem_.empty()) return {"executor", false, problem_, /*serving=*/true};
    return {
        "executor",
        true,
        fmt::format("{} promotions, {} repositories at work", live_, busy_.size()),
        /*serving=*/true
    };
}

} // namespace sluice::promotion
