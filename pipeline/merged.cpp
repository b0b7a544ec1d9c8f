#include "pipeline/draft.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {
namespace {

// What is still on its way changed nothing in the environment yet.
bool newer_arrived(const pipeline_records& records, const attempt& a) {
    auto arrived = record_of(records, a.id.environment);
    std::erase_if(arrived.attempts, [](const attempt& other) {
        return !has_ended(other.state) && other.state != promotion_state::merged;
    });
    const contest order{arrived, {a.id.revision, a.first_evidence, &a}};
    return order.newer() != nullptr;
}

// Until the target reports, what was Deployed there is still what runs.
bool runs_what_was_deployed(const environment_record& record) {
    if (!record.current) return false;
    const auto* a = newest_attempt(record, *record.current);
    return a == nullptr ||
           !(a->state == promotion_state::merged || a->state == promotion_state::deploy_failed);
}

void supersede_older(decision& d, const pipeline_records& records, const attempt& a) {
    for (const auto* older : contest_of(records, a).older_attempts()) {
        const bool is_over = has_ended(older->state) || older->state == promotion_state::merged;
        if (is_over || older->id.kind == promotion_kind::rollback) continue;
        supersede(
            d,
            *older,
            fmt::format("the newer {} was merged into {}", a.id.revision, a.id.environment)
        );
    }
}

} // namespace

result<decision> merged(
    const pipeline_records& records,
    const promotion_id& id,
    const promotion_work& work,
    std::string message
) {
    const auto* a = find_attempt(records, id);
    const auto is = [&](promotion_state s) { return a != nullptr && a->state == s; };
    decision d{verdict_on_event::record, message, id, {}};
    d.changes.emplace_back(set_work{id, work});
    if (is(promotion_state::merged) || is(promotion_state::deployed) ||
        is(promotion_state::deploy_failed)) {
        d.what = verdict_on_event::duplicate;
        d.reason = state_of(*a);
        return d;
    }
    d.changes.emplace_back(
        transition{id, promotion_state::merged, std::string{why::merged}, std::move(message)}
    );
    if (a == nullptr) return d; // forgotten: the fact is history's, what came after it counts
    const bool on_purpose = id.kind == promotion_kind::rollback;
    const bool is_last_known =
        !runs_what_was_deployed(record_of(records, id.environment)) && !newer_arrived(records, *a);
    if (on_purpose || is_last_known) d.changes.emplace_back(set_current{id.environment, a->facts});
    if (!on_purpose) supersede_older(d, records, *a);
    return d;
}

} // namespace sluice::pipeline
