#include "promotion/schedule.hpp"

#include <algorithm>
#include <functional>

namespace sluice::promotion {
namespace {

using pipeline::promotion_state;

bool has_something_outside(const pipeline::promotion_work& work) {
    if (work.pull_request) return work.pull_request->state == pipeline::pull_request_state::open;
    return !work.commit.empty() && work.branch != work.base_branch;
}

// So that a hundred pull requests opened together are not asked for together for ever: up to a tenth more, by name.
std::chrono::milliseconds
spread(std::chrono::milliseconds every, const pipeline::promotion_id& id) {
    const auto part = std::hash<std::string>{}(id.text()) % 100;
    return every + every * static_cast<int>(part) / 1'000;
}

std::chrono::milliseconds
pause_of(const pipeline::promotion& p, const look& last, const pace& how) {
    const bool is_failed = p.state == promotion_state::failed;
    auto every = is_failed ? how.look_at_failed : how.poll_every;
    if (p.state == promotion_state::closed) every *= 4;
    for (int i = 0; i < last.failures && every < how.longest_retry; ++i) every *= 2;
    return spread(every, p.id);
}

} // namespace

duty duty_of(const pipeline::promotion& p) noexcept {
    switch (p.state) {
    case promotion_state::pending:
    case promotion_state::running: return duty::carry;
    case promotion_state::held: return p.reason == held_branch ? duty::revive : duty::none;
    case promotion_state::pull_request_open: return duty::follow;
    case promotion_state::closed: return p.work.branch.empty() ? duty::none : duty::follow;
    case promotion_state::failed: return duty::revive;
    // Flux may report before anybody looked at the pull request.
    case promotion_state::deployed:
    case promotion_state::deploy_failed:
        return has_something_outside(p.work) ? duty::follow : duty::none;
    case promotion_state::cancelled:
    case promotion_state::superseded:
    case promotion_state::rejected:
    case promotion_state::expired:
    case promotion_state::denied: return has_something_outside(p.work) ? duty::tidy : duty::none;
    case promotion_state::awaiting_approval:
    case promotion_state::merged:
    case promotion_state::notified:
    case promotion_state::no_change: return duty::none;
    }
    return duty::none;
}

std::optional<time_point> due_at(
    const pipeline::promotion& p, const std::optional<look>& last, const pace& how, time_point now
) {
    const auto what = duty_of(p);
    if (what == duty::none) return std::nullopt;
    if (is_over(p.state) && now - p.updated_at > how.second_looks) return std::nullopt;
    const auto asked = p.retry_at.value_or(p.updated_at);
    // Nobody looked yet, or somebody wrote to it since: a person retried, another replica moved it.
    if (!last || p.updated_at > last->at) return asked;
    // It was ended while it was carried: what that left outside was not looked at yet.
    if (what == duty::tidy && last->carried) return asked;
    if (what == duty::carry) return std::max(asked, last->at + how.breath);
    return last->at + pause_of(p, *last, how);
}

std::vector<lane_plan> plan_lanes(
    std::vector<task> due, const std::set<std::string, std::less<>>& busy, lane_limits limits
) {
    std::vector<lane_plan> plans;
    std::map<std::string, std::size_t> places;
    for (auto& t : due) {
        const auto lane = lane_of(t);
        if (busy.contains(lane)) continue;
        const auto [place, first] = places.try_emplace(lane, plans.size());
        if (first) plans.push_back({lane, {}});
        auto& batch = plans[place->second].batch;
        const auto is_look = [](const task& other) { return other.what != duty::carry; };
        const auto looks = std::ranges::count_if(batch, is_look);
        if (is_look(t) && static_cast<std::size_t>(looks) >= limits.looks_per_run) continue;
        batch.push_back(std::move(t));
    }
    if (plans.size() > limits.lanes) plans.resize(limits.lanes);
    return plans;
}

} // namespace sluice::promotion
