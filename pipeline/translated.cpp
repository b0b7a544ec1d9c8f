#include "pipeline/carry.hpp"
#include "pipeline/deployed.hpp"
#include "pipeline/evidence.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/step.hpp"
#include "pipeline/version.hpp"
#include "pipeline/withdraw.hpp"

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

// What the targets said about the commit, said about the release.
slot_map
in_other_words(slot_map slots, const revision_facts& commit, const revision_facts& release) {
    for (auto& [target, slot] : slots) {
        if (same_release(slot.facts, commit)) slot.facts = release;
    }
    return slots;
}

// `into` is null for the last environment: nothing follows.
void fail(draft& d, const environment* into, std::string_view commit) {
    auto text =
        fmt::format("{} failed in {}, reported as commit {}", d.revision, d.here.name, commit);
    note_deploy_failed(d);
    auto affected = d.decision.promotion;
    if (auto w = into != nullptr ? withdraw(d, *into) : std::nullopt) {
        text += fmt::format("; its promotion into {} {}", into->name, w->outcome);
        affected = std::move(w->id);
    }
    d.answer(verdict_on_event::record, std::move(text), std::move(affected));
}

void go_on(draft& d, const environment* into, const promotion& deployed, time_point when) {
    const auto* source = find_attempt(d.before, deployed.id);
    note_deployed(d, deployed.id, source != nullptr ? source->state : deployed.state);
    auto because = fmt::format("{} is healthy in {}", d.revision, d.here.name);
    if (into != nullptr) return carry_into(d, *into, when, because);
    d.answer(verdict_on_event::record, std::move(because), deployed.id);
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
    const bool own = a->reason == why::own_commit;
    const auto* into = own ? nullptr : pipeline.find(id.environment);
    const auto* here = own ? pipeline.find(id.environment) : pipeline.previous_to(id.environment);
    if (here == nullptr || (into == nullptr && !own))
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

    const auto& before = record_of(records, here->name);
    auto slots = in_other_words(before.slots, a->facts, deployed->facts);
    const auto proof = weigh(*here, slots, deployed->facts, here->proof).standing;
    // Also when the environment has moved on since it was proven, but not since it failed.
    const bool was_proven = !own && a->reason != why::failed_commit;
    const bool goes_on = proof == standing::proven || (proof == standing::open && was_proven);
    if (goes_on && before.current != deployed->facts)
        end.changes.emplace_back(set_current{here->name, deployed->facts});
    auto known = records;
    for (const auto& c : end.changes) pipeline::apply(known, c);
    auto report = in_other_words(pipeline, *here, *deployed, a->first_evidence);
    report.event.message = fmt::format("Flux reports it as commit {}", id.revision);
    draft d{report, *here, known, std::move(slots), now, written_form(deployed->facts), {}};
    d.decision = std::move(end);
    if (goes_on) go_on(d, into, *deployed, a->first_evidence);
    if (proof == standing::failed) fail(d, into, id.revision);
    return std::move(d.decision);
}

} // namespace sluice::pipeline
