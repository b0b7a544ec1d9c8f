#include "pipeline/acts.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/person.hpp"
#include "pipeline/step.hpp"
#include "pipeline/version.hpp"

#include <fmt/format.h>

namespace sluice::pipeline {
namespace {

struct witness {
    std::string environment; // nearest to the target that reported it healthy; empty: nobody
    const pipeline::slot* slot = nullptr;
};

witness find_witness(
    const definition& d,
    const pipeline_records& records,
    const environment& into,
    const revision_facts& facts
) {
    for (const auto* e = d.previous_to(into.name); e != nullptr; e = d.previous_to(e->name)) {
        for (const auto& [key, slot] : record_of(records, e->name).slots) {
            if (key == into_slot || slot.verdict != verdict::healthy) continue;
            if (same_release(slot.facts, facts)) return {e->name, &slot};
        }
    }
    return {};
}

// What the person left out and the report knows: markers may want it.
revision_facts completed(revision_facts facts, const revision_facts& reported) {
    const auto fill = [](std::string& given, const std::string& known) {
        if (given.empty()) given = known;
    };
    fill(facts.app_version, reported.app_version);
    fill(facts.digest, reported.digest);
    fill(facts.image, reported.image);
    fill(facts.tag, reported.tag);
    if (!reported.digest.empty() && facts.digest == reported.digest)
        facts.revision = reported.revision;
    return facts;
}

promotion candidate(
    const act& a,
    const pipeline_records& records,
    const environment& into,
    const revision_facts& facts
) {
    promotion p;
    p.id = {a.pipeline->name, into.name, written_form(facts)};
    p.facts = facts;
    p.reason = why::asked;
    p.first_evidence = a.now;
    const auto seen = find_witness(*a.pipeline, records, into, facts);
    if (seen.slot == nullptr) return p;
    p.facts = completed(facts, seen.slot->facts);
    p.from_environment = seen.environment;
    p.first_evidence = seen.slot->signed_at;
    return p;
}

const attempt* earlier_attempt(const environment_record& record, const promotion_id& id) {
    for (const auto& a : record.attempts) {
        if (a.id.kind == promotion_kind::promotion && a.id.revision == id.revision) return &a;
    }
    return nullptr;
}

} // namespace

result<decision> promote(
    const act& a,
    const pipeline_records& records,
    std::string_view environment,
    const revision_facts& facts
) {
    if (facts.revision.empty()) return error{errc::unprocessable, "name the revision to promote"};
    const auto into = open_to_new(*a.pipeline, environment);
    if (!into) return into.error();
    const auto& record = record_of(records, environment);
    auto p = candidate(a, records, **into, facts);
    const auto* earlier = earlier_attempt(record, p.id);
    if (earlier != nullptr && !has_ended(earlier->state)) {
        return decision{verdict_on_event::duplicate, state_of(*earlier), earlier->id, {}};
    }
    const bool runs = earlier == nullptr || earlier->state != promotion_state::deploy_failed;
    if (runs && record.current && same_release(*record.current, p.facts)) {
        decision d{
            verdict_on_event::duplicate,
            fmt::format("{} already runs {}", environment, p.id.revision),
            {},
            {}
        };
        if (earlier != nullptr) d.promotion = earlier->id;
        return d;
    }
    if (earlier != nullptr) {
        p.id.attempt = earlier->id.attempt + 1;
        p.first_evidence = earlier->first_evidence;
    }
    if (auto fine = check_candidate(a, records, **into, p); !fine) return fine.error();

    auto text =
        a.note.empty()
            ? fmt::format("{} asked for {} in {}", a.who, p.id.revision, environment)
            : fmt::format("{} asked for {} in {}: {}", a.who, p.id.revision, environment, a.note);
    const auto opened = p.id;
    auto d = open_for_person(a, records, **into, std::move(p), std::move(text));
    if (earlier != nullptr && earlier->state == promotion_state::failed) {
        // Or it would be opened again beside its successor.
        transition over{
            earlier->id,
            promotion_state::superseded,
            std::string{why::asked},
            opened.text() + " took its place"
        };
        d.changes.insert(d.changes.begin(), std::move(over));
    }
    return d;
}

} // namespace sluice::pipeline
