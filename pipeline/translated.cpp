#include "pipeline/carry.hpp"
#include "pipeline/deployed.hpp"
#include "pipeline/order.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/step.hpp"
#include "pipeline/version.hpp"

#include <fmt/format.h>

namespace sluice::pipeline {
namespace {

// The report as it would have been, had it named the release and not the commit.
arrival in_other_words(
    const definition& pipeline, const environment& here, const promotion& deployed, time_point when
) {
    arrival a;
    a.pipeline =
        definition_ptr{definition_ptr{}, &pipeline}; // the caller's, for as long as this call
    a.environment = here.name;
    a.event.facts = deployed.facts;
    a.event.url = deployed.url;
    a.event.verdict = verdict::healthy;
    a.event.signed_at = when;
    return a;
}

// What waited was superseded when the commit was reported, and the commit turns out to be the same release.
const attempt* passed_by(const draft& d, const environment& into) {
    const auto* a = newest_attempt(d.record_of(into.name), d.a.event.facts);
    const bool was = a != nullptr && a->id.kind == promotion_kind::promotion &&
                     a->state == promotion_state::superseded && a->reason == why::newer;
    return was ? a : nullptr;
}

void carry_on(draft& d, const environment& into, time_point when) {
    const auto because = fmt::format("{} is healthy in {}", d.revision, d.here.name);
    const auto* was = passed_by(d, into);
    if (was == nullptr) return carry_into(d, into, when, because);

    auto known = d.before;
    pipeline::apply(known, forget_attempt{was->id});
    draft anew{d.a, d.here, known, d.slots, d.now, d.revision, std::move(d.decision)};
    carry_into(anew, into, was->first_evidence, because);
    d.decision = std::move(anew.decision);
    for (auto& c : d.decision.changes) {
        auto* opens = std::get_if<open_promotion>(&c);
        if (opens == nullptr) continue;
        opens->promotion.id = was->id;
        d.decision.promotion = was->id;
    }
}

} // namespace

result<decision> translated(
    const definition& pipeline,
    const pipeline_records& records,
    const promotion_id& id,
    const std::optional<promotion>& deployed,
    time_point now
) {
    const auto* a = find_attempt(records, id);
    if (a == nullptr) return conflict(fmt::format("{} is known to history only", id.text()));
    if (!still_waits(a->state) && a->state != promotion_state::running)
        return conflict(state_of(*a));
    const auto* into = pipeline.find(id.environment);
    const auto* here = pipeline.previous_to(id.environment);
    if (into == nullptr || here == nullptr)
        return conflict(
            fmt::format("nothing comes before {} in {} now", id.environment, pipeline.name.text())
        );

    const auto commit =
        fmt::format("{} is a commit of the branch that promotions write to", id.revision);
    auto end = moving(
        verdict_on_event::record,
        id,
        promotion_state::superseded,
        why::translated,
        deployed ? fmt::format(
                       "{}; what it deploys in {} is {}", commit, here->name, deployed->id.revision
                   )
                 : fmt::format(
                       "{}, and no promotion into {} was merged before it: recorded, not promoted",
                       commit,
                       here->name
                   )
    );
    if (!deployed) return end;

    if (record_of(records, here->name).current != deployed->facts)
        end.changes.emplace_back(set_current{here->name, deployed->facts});
    auto known = records;
    for (const auto& c : end.changes) pipeline::apply(known, c);
    const auto report = in_other_words(pipeline, *here, *deployed, a->first_evidence);
    const auto& slots = record_of(known, here->name).slots;
    draft d{report, *here, known, slots, now, written_form(deployed->facts), {}};
    d.decision.changes = std::move(end.changes);
    const auto* source = find_attempt(known, deployed->id);
    note_deployed(d, deployed->id, source != nullptr ? source->state : deployed->state);
    carry_on(d, *into, a->first_evidence);
    return std::move(d.decision);
}

} // namespace sluice::pipeline
