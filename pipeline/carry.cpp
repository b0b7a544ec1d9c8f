#include "pipeline/carry.hpp"

#include "pipeline/commit_report.hpp"
#include "pipeline/denial.hpp"
#include "pipeline/evidence.hpp"
#include "pipeline/forget.hpp"
#include "pipeline/look_up.hpp"
#include "pipeline/order.hpp"
#include "pipeline/version.hpp"
#include "pipeline/withdraw.hpp"

#include <fmt/format.h>

namespace sluice::pipeline {
namespace {

using enum verdict_on_event;

// A claim stands for targets that never spoke. One that speaks of another revision may be the one that failed and has rolled
// back since, and no other's report undoes that.
bool rests_on_a_claim(const draft& d) {
    if (d.a.event.source == evidence_source::trigger) return true;
    const auto e = weigh(d.here, d.slots, d.a.event.facts, d.here.proof);
    return e.claimed && e.elsewhere > 0;
}

void repeat(draft& d, const environment& into, const attempt& existing) {
    if (!same_release(existing.facts, d.a.event.facts)) {
        d.answer(
            record,
            fmt::format(
                "{} now stands for {}, but {} was promoted into {} under the same name: give each "
                "release its own name",
                d.revision,
                digest_of(d.a.event.facts),
                digest_of(existing.facts),
                into.name
            ),
            existing.id
        );
    } else if (is_withdrawn(existing) && rests_on_a_claim(d)) {
        d.answer(
            record,
            fmt::format(
                "Flux reported that {} failed, and a trigger does not outweigh that: its promotion "
                "into {} is held until Flux reports it healthy wherever it must be",
                d.revision,
                into.name
            ),
            existing.id
        );
    } else if (is_withdrawn(existing)) {
        restore(d, into, existing);
    } else {
        const auto state = to_string(existing.state);
        d.answer(
            duplicate,
            fmt::format(
                "{} already has a promotion into {}; its state is {}", d.revision, into.name, state
            ),
            existing.id
        );
    }
}

// Why nothing new starts, or empty.
std::string obstacle(const draft& d, const environment& into) {
    const auto& pipeline = *d.a.pipeline;
    if (pipeline.policy_into(into) == nullptr) {
        return fmt::format(
            "the pipeline has no promotion block for {}, so it only records", into.name
        );
    }
    if (into.targets.empty()) return fmt::format("environment {} has no targets", into.name);
    constexpr auto remedy = "the next report after it is resumed starts the promotion";
    if (pipeline.suspend) return fmt::format("the pipeline is suspended; {}", remedy);
    for (const auto* env : {&d.here, &into}) {
        if (env->suspend) return fmt::format("environment {} is suspended; {}", env->name, remedy);
    }
    return {};
}

std::string what_is_newer(const environment& into, const contender& newer) {
    if (newer.attempt == nullptr) {
        return fmt::format(
            "{} runs {}, which is newer, and nothing goes back but by rollback",
            into.name,
            newer.revision
        );
    }
    const auto state = newer.attempt->state;
    return fmt::format(
        "the newer {} is already on its way into {}, its state is {}{}",
        newer.revision,
        into.name,
        to_string(state),
        still_waits(state) ? "; cancel that one to let the older go" : ""
    );
}

void supersede_waiting(draft& d, const environment& into) {
    for (const auto& a : d.record_of(into.name).attempts) {
        if (!still_waits(a.state) || is_looked_up(a)) continue;
        if (a.id.kind == promotion_kind::rollback) continue;
        d.move(
            a,
            promotion_state::superseded,
            why::newer,
            fmt::format("{} is newer and goes into {} instead", d.revision, into.name)
        );
    }
}

} // namespace

void carry_into(
    draft& d, const environment& into, time_point first_evidence, const std::string& because
) {
    const auto& there = d.record_of(into.name);
    if (const auto* existing = attempt_named(there, d.revision)) {
        if (!look_up_again(d, into, *existing, because)) repeat(d, into, *existing);
        return;
    }
    if (there.current && same_release(*there.current, d.a.event.facts)) {
        return d.answer(record, fmt::format("{}, and {} already runs it", because, into.name));
    }
    if (const auto why_not = obstacle(d, into); !why_not.empty()) {
        return d.answer(record, fmt::format("{}, but {}", because, why_not));
    }
    const contest order{there, {d.revision, first_evidence, nullptr}};
    if (const auto* newer = order.newer()) {
        return d.answer(record, fmt::format("{}, but {}", because, what_is_newer(into, *newer)));
    }

    forget_ended_attempts(d, into);
    auto p = d.promotion_into(into, first_evidence);
    if (const auto* denial = find_denial(*d.a.pipeline, d.a.event.facts)) {
        p.state = promotion_state::denied;
        p.reason = why::denied;
        p.message = fmt::format("{} is denied: {}", d.revision, denial->reason);
        return d.open(std::move(p), record);
    }
    if (is_about_our_branch(d, into)) return look_up(d, std::move(p), why::commit, because);
    supersede_waiting(d, into);
    if (d.a.pipeline->policy_into(into)->manual) {
        p.state = promotion_state::awaiting_approval;
        p.reason = why::manual;
        p.message = fmt::format("{}; its promotion into {} waits for approval", because, into.name);
        return d.open(std::move(p), await_approval);
    }
    p.reason = d.a.event.source == evidence_source::trigger ? why::claimed : why::proven;
    p.message = fmt::format("{}; it is promoted into {}", because, into.name);
    d.open(std::move(p), promote);
}

} // namespace sluice::pipeline
