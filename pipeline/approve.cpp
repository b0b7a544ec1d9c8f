#include "pipeline/acts.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/person.hpp"
#include "pipeline/step.hpp"

#include <fmt/format.h>

// Approve, reject, cancel: what a person says about a promotion that is under way.
namespace sluice::pipeline {
namespace {

using enum promotion_state;

error passed_by(const pipeline_records& records, const attempt& a) {
    const auto order = contest_of(records, a);
    const auto* newer = order.newer();
    return conflict(fmt::format(
        "{} was superseded{}",
        a.id.text(),
        newer == nullptr ? " by a newer revision"
                         : fmt::format(": {}; act on that one", describe(*newer, a.id.environment))
    ));
}

decision nothing_to_do(const attempt& a) {
    return {verdict_on_event::duplicate, state_of(a), a.id, {}};
}

// It went on after an approval, or needed none.
bool went_on(const attempt& a) {
    switch (a.state) {
    case pending:
    case running:
    case pull_request_open:
    case promotion_state::merged:
    case deployed:
    case notified:
    case no_change:
    case deploy_failed: return true;
    case held: return a.reason != why::evidence;
    default: return false;
    }
}

} // namespace

result<decision> approve(const act& a, const pipeline_records& records, const promotion_id& id) {
    const auto* which = find_attempt(records, id);
    if (which == nullptr) return unknown(records, id);
    if (went_on(*which)) return nothing_to_do(*which);
    if (which->state == superseded) return passed_by(records, *which);
    if (which->state != awaiting_approval) {
        return conflict(
            fmt::format("{}, so it waits for no approval{}", state_of(*which), what_helps(*which))
        );
    }
    const auto order = contest_of(records, *which);
    if (const auto* newer = order.newer()) {
        return conflict(fmt::format(
            "{} is passed by: {}; act on that one", id.text(), describe(*newer, id.environment)
        ));
    }
    return moving(verdict_on_event::promote, id, pending, why::approved, by_whom(a, "approved"));
}

result<decision> reject(const act& a, const pipeline_records& records, const promotion_id& id) {
    const auto* which = find_attempt(records, id);
    if (which == nullptr) return unknown(records, id);
    if (which->state == promotion_state::rejected) return nothing_to_do(*which);
    if (which->state == superseded) return passed_by(records, *which);
    if (which->state != awaiting_approval) {
        const bool under_way = !has_ended(which->state) && which->state != promotion_state::merged;
        return conflict(fmt::format(
            "{}, so it waits for no approval{}",
            state_of(*which),
            under_way ? "; cancel it to stop it" : ""
        ));
    }
    return moving(
        verdict_on_event::record,
        id,
        promotion_state::rejected,
        why::rejected,
        by_whom(a, "rejected")
    );
}

result<decision> cancel(const act& a, const pipeline_records& records, const promotion_id& id) {
    const auto* which = find_attempt(records, id);
    if (which == nullptr) return unknown(records, id);
    if (which->state == promotion_state::cancelled) return nothing_to_do(*which);
    if (has_ended(which->state)) return conflict(state_of(*which) + ": there is nothing to cancel");
    if (which->state == promotion_state::merged) {
        return conflict(fmt::format(
            "{}: its change is in the repository; promote another revision or revert it there",
            state_of(*which)
        ));
    }
    return moving(
        verdict_on_event::record,
        id,
        promotion_state::cancelled,
        why::cancelled,
        by_whom(a, "cancelled")
    );
}

} // namespace sluice::pipeline
