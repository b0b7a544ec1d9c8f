#include "pipeline/deployed.hpp"

#include "pipeline/evidence.hpp"
#include "pipeline/order.hpp"
#include "pipeline/version.hpp"

#include <fmt/format.h>

namespace sluice::pipeline {
namespace {

contender reported(const draft& d, const environment_record& record) {
    const auto* a = newest_attempt(record, d.a.event.facts);
    contender c{d.revision, std::nullopt, a};
    if (a != nullptr) c.first_evidence = a->first_evidence;
    return c;
}

// Where any target will do, two revisions can be healthy at once; the newer one counts as what runs.
bool still_runs_a_newer_one(const draft& d, const environment_record& record) {
    if (!record.current) return false;
    if (weigh(d.here, d.slots, *record.current, proof::release).proven == 0) return false;
    const contest order{record, reported(d, record)};
    const auto* newer = order.newer();
    return newer != nullptr && newer->revision == written_form(*record.current);
}

void end_older_ones(draft& d, const environment_record& record) {
    if (record.attempts.empty()) return;
    for (const auto* older : contest{record, reported(d, record)}.older_attempts()) {
        const bool is_over = older->state == promotion_state::merged || still_waits(older->state);
        const bool is_rollback =
            older->id.kind == promotion_kind::rollback; // a person's, on purpose
        if (!is_over || is_rollback)
            continue; // a pull request stays until a newer promotion is at work
        d.move(
            *older,
            promotion_state::superseded,
            why::newer,
            fmt::format("{} runs the newer {}", d.here.name, d.revision)
        );
    }
}

std::string_view witness(const draft& d) {
    return d.a.event.source == evidence_source::trigger ? "a trigger says" : "Flux reports";
}

} // namespace

void note_deployed(draft& d) {
    const auto& facts = d.a.event.facts;
    const auto& record = d.record_of(d.here.name);
    if (weigh(d.here, d.slots, facts, proof::release).standing != standing::proven) return;

    const auto* a = newest_attempt(record, facts);
    const bool is_news = a != nullptr && a->state != promotion_state::deployed;
    if (is_news) {
        auto message =
            fmt::format("{} that {} is healthy in {}", witness(d), d.revision, d.here.name);
        d.move(*a, promotion_state::deployed, why::reported, std::move(message));
    }
    if (record.current == facts && !is_news) return;
    if (still_runs_a_newer_one(d, record)) return;
    if (record.current != facts) d.change(set_current{d.here.name, facts});
    // The first merge makes it current, but only the report ends what was merged before it.
    const bool is_another = !record.current || !same_release(*record.current, facts);
    if (is_another || is_news) end_older_ones(d, record);
}

void note_deployed(draft& d, const promotion_id& which, promotion_state state) {
    if (state != promotion_state::deployed) {
        auto message =
            fmt::format("Flux reports a commit that holds {} in {}", d.revision, d.here.name);
        d.change(transition{
            which, promotion_state::deployed, std::string{why::reported}, std::move(message)
        });
    }
    end_older_ones(d, d.record_of(d.here.name));
}

void note_deploy_failed(draft& d) {
    const auto& facts = d.a.event.facts;
    if (weigh(d.here, d.slots, facts, proof::release).standing != standing::failed) return;
    const auto* a = newest_attempt(d.record_of(d.here.name), facts);
    // What still waits has written nothing: this failure is not its doing.
    if (a == nullptr || still_waits(a->state) || a->state == promotion_state::deploy_failed) return;
    d.move(
        *a,
        promotion_state::deploy_failed,
        why::reported,
        fmt::format("{} failed in {}: {}", d.revision, d.here.name, d.a.event.message)
    );
    d.decision.promotion = a->id;
}

} // namespace sluice::pipeline
