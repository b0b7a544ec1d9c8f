#include "pipeline/person.hpp"

#include "pipeline/commit_report.hpp"
#include "pipeline/denial.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evidence.hpp"
#include "pipeline/step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {
namespace {

bool is_on_its_way(const contender& c) {
    return c.attempt != nullptr && !has_ended(c.attempt->state) &&
           c.attempt->state != promotion_state::merged;
}

error overtaken(const contender& newer, const environment& into, const promotion_id& id) {
    if (is_on_its_way(newer)) {
        return conflict(fmt::format(
            "{} is older: {}; cancel that one to let {} go",
            id.revision,
            describe(newer, into.name),
            id.revision
        ));
    }
    return conflict(fmt::format(
        "{} is older: {}, and nothing goes back but by rollback",
        id.revision,
        describe(newer, into.name)
    ));
}

} // namespace

std::string by_whom(const act& a, std::string_view did) {
    return a.note.empty() ? fmt::format("{} {} it", a.who, did)
                          : fmt::format("{} {} it: {}", a.who, did, a.note);
}

error unknown(const pipeline_records& records, const promotion_id& id) {
    for (const auto& a : record_of(records, id.environment).attempts) {
        if (a.id.revision != id.revision || a.id.kind != id.kind) continue;
        return conflict(fmt::format("{} took the place of {}", a.id.text(), id.text()));
    }
    return {
        errc::not_found,
        fmt::format(
            "there is no promotion {} that can be acted on; `sluice promotions list` shows what "
            "there is",
            id.text()
        )
    };
}

std::string_view what_helps(const attempt& a) {
    switch (a.state) {
    case promotion_state::rejected:
    case promotion_state::expired:
    case promotion_state::cancelled:
    case promotion_state::closed:
    case promotion_state::failed: return "; retry it to have it tried again";
    case promotion_state::held: return "; it goes on when its revision is healthy again";
    default: return "";
    }
}

result<const environment*> open_to_new(const definition& d, std::string_view name) {
    const auto* into = d.find(name);
    if (into == nullptr) {
        std::vector<std::string_view> known;
        known.reserve(d.environments.size());
        for (const auto& e : d.environments) known.emplace_back(e.name);
        return error{
            errc::unprocessable,
            fmt::format(
                "{} has no environment {}; it has {}", d.name.text(), name, fmt::join(known, ", ")
            )
        };
    }
    if (d.policy_into(*into) == nullptr) {
        return error{
            errc::unprocessable,
            fmt::format(
                "{} has no promotion block for {}: add one to the Pipeline", d.name.text(), name
            )
        };
    }
    if (d.suspend) return conflict(fmt::format("{} is suspended; resume it first", d.name.text()));
    if (into->suspend)
        return conflict(
            fmt::format("environment {} of {} is suspended; resume it first", name, d.name.text())
        );
    return into;
}

outcome check_candidate(
    const act& a, const pipeline_records& records, const environment& into, const promotion& p
) {
    if (const auto* denial = find_denial(*a.pipeline, p.facts)) {
        return error{
            errc::unprocessable,
            fmt::format("{} is denied by the Pipeline: {}", p.id.revision, denial->reason)
        };
    }
    if (failed_before(*a.pipeline, records, into, p.facts)) {
        return conflict(fmt::format(
            "{} failed in {}; it can go on when it is healthy there",
            p.id.revision,
            a.pipeline->previous_to(into.name)->name
        ));
    }
    const contest order{record_of(records, into.name), {p.id.revision, p.first_evidence, nullptr}};
    if (const auto* newer = order.newer()) return overtaken(*newer, into, p.id);
    return {};
}

decision open_for_person(
    const act& a,
    const pipeline_records& records,
    const environment& into,
    promotion p,
    std::string text
) {
    decision d{verdict_on_event::promote, {}, p.id, {}};
    for (const auto& older : record_of(records, into.name).attempts) {
        if (!still_waits(older.state) || is_looked_up(older)) continue;
        if (older.id.kind == promotion_kind::rollback) continue;
        supersede(d, older, fmt::format("{} goes into {} instead", p.id.revision, into.name));
    }
    const bool manual = a.pipeline->policy_into(into)->manual;
    if (manual) d.what = verdict_on_event::await_approval;
    p.state = manual ? promotion_state::awaiting_approval : promotion_state::pending;
    p.message = manual ? fmt::format("{}; it waits for approval", text) : std::move(text);
    p.created_at = a.now;
    p.updated_at = a.now;
    d.reason = p.message;
    d.changes.emplace_back(open_promotion{std::move(p)});
    return d;
}

} // namespace sluice::pipeline
