#include "pipeline/decide.hpp"

#include "base/rfc3339.hpp"
#include "pipeline/carry.hpp"
#include "pipeline/commit_report.hpp"
#include "pipeline/deployed.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evidence.hpp"
#include "pipeline/look_up.hpp"
#include "pipeline/version.hpp"
#include "pipeline/withdraw.hpp"

#include <fmt/format.h>

namespace sluice::pipeline {
namespace {

using enum verdict_on_event;

constexpr std::size_t usual_changes = 8;

decision ignored(const arrival& a, std::string_view because) {
    return {ignore, fmt::format("{} in {} {}", a.event.reason, a.environment, because), {}, {}};
}

decision stale(const arrival& a, const slot_map& before) {
    const auto& last = before.at(a.targets.front());
    return {
        record,
        fmt::format(
            "this report from {} was signed at {}, and a later or weightier one of {} is known: it "
            "changes nothing",
            a.environment,
            format_rfc3339(a.event.signed_at),
            format_rfc3339(last.signed_at)
        ),
        {},
        {}
    };
}

std::string what_is_missing(const draft& d, const evidence& e) {
    if (e.tests_missing) {
        return fmt::format(
            "{} is healthy in {}, but its Helm test has not succeeded there yet",
            d.revision,
            d.here.name
        );
    }
    return fmt::format(
        "{} is healthy in {} of {} targets of {}; still missing: {}",
        d.revision,
        e.proven,
        e.targets,
        d.here.name,
        fmt::join(e.missing, ", ")
    );
}

// What promotions wrote is known by their names; a commit of their branch tells nothing of it before it is looked up.
bool hides_a_release(const draft& d) {
    const auto& current = d.record_of(d.here.name).current;
    return current && !parse_git_revision(current->revision) &&
           reported_from(*d.a.pipeline, d.here.name, d.a.event.facts) != nullptr;
}

void on_healthy(draft& d) {
    if (!hides_a_release(d)) note_deployed(d);
    const auto because =
        d.a.event.source == evidence_source::trigger
            ? fmt::format("a trigger says {} is proven in {}", d.revision, d.here.name)
            : fmt::format("{} is healthy in {}", d.revision, d.here.name);
    const auto* next = d.a.pipeline->next_after(d.here.name);
    if (next == nullptr) {
        if (!look_up_own(d)) d.answer(record, because + ", the last environment");
        d.decision.what = record;
        return;
    }

    const auto e = weigh(d.here, d.slots, d.a.event.facts, d.here.proof);
    switch (e.standing) {
    case standing::proven: return carry_into(d, *next, e.since, because);
    case standing::open: return d.answer(record, what_is_missing(d, e));
    case standing::failed:
        return d.answer(
            record, fmt::format("{}, but it failed in {}", because, fmt::join(e.failing, ", "))
        );
    }
}

// CI asks to carry a revision into this environment. What Flux saw failing one environment earlier stays there.
void on_request(draft& d) {
    if (const auto* source = d.a.pipeline->previous_to(d.here.name)) {
        const auto& slots = d.record_of(source->name).slots;
        const auto e = weigh(*source, slots, d.a.event.facts, source->proof);
        if (e.standing == standing::failed) {
            return d.answer(
                record,
                fmt::format(
                    "a trigger asks for {} in {}, but it failed in {}",
                    d.revision,
                    d.here.name,
                    source->name
                )
            );
        }
    }
    const auto because = fmt::format("a trigger asks for {} in {}", d.revision, d.here.name);
    carry_into(d, d.here, d.a.event.signed_at, because);
}

void on_failed(draft& d) {
    note_deploy_failed(d);
    auto text = fmt::format("{} failed in {} ({})", d.revision, d.here.name, d.a.event.reason);
    auto affected = d.decision.promotion;
    const auto* next = d.a.pipeline->next_after(d.here.name);
    if (next == nullptr ? look_up_own(d) : look_up_failure(d, *next)) {
        d.decision.what = record;
        return;
    }
    if (next != nullptr) {
        if (auto w = withdraw(d, *next)) {
            text += fmt::format("; its promotion into {} {}", next->name, w->outcome);
            affected = std::move(w->id);
        }
    }
    d.answer(record, std::move(text), std::move(affected));
}

} // namespace

std::string_view to_string(verdict_on_event v) noexcept {
    switch (v) {
    case promote: return "promote";
    case await_approval: return "await_approval";
    case record: return "record";
    case ignore: return "ignore";
    case duplicate: return "duplicate";
    }
    return "ignore";
}

decision
decide(const arrival& a, const pipeline_records& records, time_point now, time_point horizon) {
    const auto& event = a.event;
    if (event.verdict == verdict::none)
        return ignored(a, "says neither that it is healthy nor that it failed");
    if (event.facts.revision.empty() && event.verdict != verdict::uninstalled) {
        return ignored(a, "names no revision");
    }
    draft d{a, *a.pipeline->find(a.environment), records, {}, now, written_form(event.facts), {}};
    const auto& before = d.record_of(a.environment).slots;
    auto report = report_to_slots(a, before, horizon);
    if (report.stale) return stale(a, before);
    d.slots = std::move(report.after);
    d.decision.changes = std::move(report.changes);
    d.decision.changes.reserve(usual_changes); // they are large to move

    switch (event.verdict) {
    case verdict::healthy: event.into ? on_request(d) : on_healthy(d); break;
    case verdict::failed: on_failed(d); break;
    case verdict::rolled_back:
        d.answer(
            record,
            fmt::format("{} rolled back to {}, which proves nothing", a.environment, d.revision)
        );
        break;
    case verdict::uninstalled:
        d.answer(
            record,
            fmt::format("uninstalled in {}: what it reported no longer counts", a.environment)
        );
        break;
    case verdict::none: break;
    }
    return std::move(d.decision);
}

} // namespace sluice::pipeline
