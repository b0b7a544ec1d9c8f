#include "pipeline/progress.hpp"

#include "pipeline/draft.hpp"
#include "pipeline/step.hpp"
#include "pipeline/withdraw.hpp"

#include <fmt/format.h>

#include <array>

namespace sluice::pipeline {
namespace {

using enum promotion_state;

constexpr std::array may_be_noted{
    running, pull_request_open, promotion_state::merged, deployed, deploy_failed, cancelled
};
constexpr std::array may_be_tried_later{
    pending, running, pull_request_open, promotion_state::merged
};
constexpr std::array own_ends{notified, no_change, closed, failed, held, superseded};

template <class States>
bool is_one_of(const States& states, promotion_state s) {
    return std::ranges::find(states, s) != states.end();
}

error gone(const pipeline_records& records, const promotion_id& id) {
    const auto* a = find_attempt(records, id);
    return conflict(
        a != nullptr ? state_of(*a) : fmt::format("{} is known to history only", id.text())
    );
}

} // namespace

result<decision>
note_work(const pipeline_records& records, const promotion_id& id, const promotion_work& work) {
    const auto* a = find_attempt(records, id);
    if (a == nullptr || !is_one_of(may_be_noted, a->state)) return gone(records, id);
    decision d{verdict_on_event::record, "what was done is written down", id, {}};
    d.changes.emplace_back(set_work{id, work});
    return d;
}

result<decision> opened(
    const pipeline_records& records,
    const promotion_id& id,
    const promotion_work& work,
    std::string message
) {
    const auto* a = find_attempt(records, id);
    if (a == nullptr) return gone(records, id);
    const bool withdrawn = is_withdrawn(*a);
    const bool reopened_by_someone = a->state == closed;
    if (a->state != running && a->state != pull_request_open && !withdrawn && !reopened_by_someone)
        return gone(records, id);
    const auto order = contest_of(records, *a);
    if (const auto* newer = order.newer(); reopened_by_someone && newer != nullptr)
        return conflict(describe(*newer, id.environment));

    auto d = moving(
        verdict_on_event::record,
        id,
        pull_request_open,
        withdrawn ? why::evidence : why::opened,
        std::move(message)
    );
    d.changes.emplace_back(set_work{id, work});
    for (const auto* older : order.older_attempts()) {
        if (older->state != pull_request_open) continue;
        supersede(
            d, *older, fmt::format("the pull request of the newer {} took its place", id.revision)
        );
    }
    return d;
}

result<decision> ended(
    const pipeline_records& records,
    const promotion_id& id,
    promotion_state to,
    std::string_view reason,
    std::string message,
    const std::optional<promotion_work>& work
) {
    const auto* a = find_attempt(records, id);
    if (a == nullptr || !is_one_of(own_ends, to) || !may_follow(a->state, to))
        return gone(records, id);
    // A stop that ends by itself must not hide that the revision failed: nobody would hold it then.
    const bool stays_held = is_withdrawn(*a) && (to == failed || to == held);
    auto d = moving(
        verdict_on_event::record,
        id,
        stays_held ? a->state : to,
        stays_held ? why::evidence : reason,
        std::move(message)
    );
    if (work) d.changes.emplace_back(set_work{id, *work});
    return d;
}

result<decision> retry_later(
    const pipeline_records& records,
    const promotion_id& id,
    std::string message,
    time_point retry_at,
    const promotion_work& work
) {
    const auto* a = find_attempt(records, id);
    if (a == nullptr || !is_one_of(may_be_tried_later, a->state)) return gone(records, id);
    decision d{verdict_on_event::record, message, id, {}};
    d.changes.emplace_back(transition{id, a->state, a->reason, std::move(message), retry_at});
    d.changes.emplace_back(set_work{id, work});
    return d;
}

result<decision>
paused(const pipeline_records& records, const promotion_id& id, std::string message) {
    const auto* a = find_attempt(records, id);
    if (a == nullptr || (a->state != pending && a->state != running)) return gone(records, id);
    return moving(verdict_on_event::record, id, a->state, a->reason, std::move(message));
}

result<decision>
reopened(const pipeline_records& records, const promotion_id& id, std::string because) {
    const auto* a = find_attempt(records, id);
    // Held(branch): the foreign commits are gone. PullRequestOpen: it was merged with an older promotion's commit.
    const bool branch_is_free = a != nullptr && a->state == held && a->reason == why::branch;
    const bool may_go_on =
        a != nullptr && (a->state == failed || a->state == pull_request_open || branch_is_free);
    if (!may_go_on) return gone(records, id);
    const auto order = contest_of(records, *a);
    for (const auto* newer : order.newer_ones()) {
        if (!passes_by(*newer, *a)) continue;
        auto text = describe(*newer, id.environment);
        return moving(verdict_on_event::record, id, superseded, why::newer, std::move(text));
    }
    if (is_withdrawn(*a)) {
        auto text = fmt::format("{}; held until {} is healthy again", because, id.revision);
        return moving(verdict_on_event::record, id, held, why::evidence, std::move(text));
    }
    const auto to = a->state == pull_request_open ? running : pending;
    return moving(verdict_on_event::promote, id, to, why::reopened, std::move(because));
}

} // namespace sluice::pipeline
