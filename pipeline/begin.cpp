#include "pipeline/commit_report.hpp"
#include "pipeline/denial.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/evidence.hpp"
#include "pipeline/progress.hpp"
#include "pipeline/step.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {
namespace {

using enum promotion_state;

// Why it has to wait, though nothing is wrong with it; or empty.
std::string pause(const definition& pipeline, const promotion_id& id) {
    const auto* into = pipeline.find(id.environment);
    const auto name = pipeline.name.text();
    if (into == nullptr)
        return fmt::format(
            "{} has no environment {} now; it waits until it is back", name, id.environment
        );
    if (pipeline.policy_into(*into) == nullptr)
        return fmt::format("{} has no promotion block for {} now", name, id.environment);
    if (pipeline.suspend) return fmt::format("{} is suspended", name);
    if (into->suspend) return fmt::format("environment {} of {} is suspended", into->name, name);
    return {};
}

decision stop(const attempt& a, promotion_state to, std::string_view reason, std::string message) {
    return moving(verdict_on_event::record, a.id, to, reason, std::move(message));
}

} // namespace

result<decision>
begin(const definition& pipeline, const pipeline_records& records, const promotion_id& id) {
    const auto* a = find_attempt(records, id);
    if (a == nullptr) return conflict(fmt::format("{} is known to history only", id.text()));
    if (a->state != pending && a->state != running) return conflict(state_of(*a));
    if (auto why_not = pause(pipeline, id); !why_not.empty()) return conflict(std::move(why_not));

    if (const auto* denial = find_denial(pipeline, a->facts)) {
        return stop(
            *a, denied, why::denied, fmt::format("{} is denied: {}", id.revision, denial->reason)
        );
    }
    const auto& into = *pipeline.find(id.environment);
    if (a->reason == why::own_commit) {
        auto text = fmt::format("{} runs a commit of another repository: recorded", into.name);
        return stop(*a, superseded, why::translated, std::move(text));
    }
    // A commit that turned out to be none of the promotions' own branch goes on as it is, and asks as any other would.
    const bool was_looked_up = is_looked_up(*a);
    const bool asks = was_looked_up && pipeline.policy_into(into)->manual;
    auto d = asks ? moving(
                        verdict_on_event::await_approval,
                        id,
                        awaiting_approval,
                        why::manual,
                        fmt::format("{} waits for approval to go into {}", id.revision, into.name)
                    )
                  : moving(
                        verdict_on_event::promote,
                        id,
                        running,
                        was_looked_up ? why::proven : std::string_view{a->reason},
                        fmt::format("{} is being promoted into {}", id.revision, into.name)
                    );
    if (id.kind == promotion_kind::rollback) return d; // a person's, on purpose

    const bool failed_once = was_looked_up && a->reason == why::failed_commit;
    if (failed_once || failed_before(pipeline, records, into, a->facts)) {
        const auto& source = pipeline.previous_to(into.name)->name;
        return stop(
            *a,
            held,
            why::evidence,
            fmt::format(
                "{} failed in {}: held until it is healthy there again", id.revision, source
            )
        );
    }
    const auto order = contest_of(records, *a);
    for (const auto* newer : order.newer_ones()) {
        if (passes_by(*newer, *a))
            return stop(*a, superseded, why::newer, describe(*newer, into.name));
    }
    for (const auto* older : order.older_attempts()) {
        const bool rolls_back = older->id.kind == promotion_kind::rollback;
        // An open pull request stays until it was looked at once more: opened() ends it.
        const bool at_work = older->state == running && !asks;
        if (rolls_back || !(still_waits(older->state) || at_work)) continue;
        supersede(
            d, *older, fmt::format("{} is newer and goes into {} instead", id.revision, into.name)
        );
    }
    return d;
}

} // namespace sluice::pipeline
