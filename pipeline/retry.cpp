#include "pipeline/acts.hpp"
#include "pipeline/draft.hpp"
#include "pipeline/person.hpp"
#include "pipeline/step.hpp"

#include <fmt/format.h>

namespace sluice::pipeline {
namespace {

using enum promotion_state;

decision again_in_place(const act& a, const attempt& which, const promotion& p) {
    auto d =
        moving(verdict_on_event::promote, which.id, pending, why::retried, by_whom(a, "retried"));
    // Nobody works on a Failed one, so what was read is what stands.
    if (which.state == failed && p.state == failed && p.work.failures > 0) {
        auto work = p.work;
        work.failures = 0;
        d.changes.emplace_back(set_work{which.id, std::move(work)});
    }
    return d;
}

decision at_once(const act& a, const attempt& which) {
    decision d{verdict_on_event::promote, by_whom(a, "retried"), which.id, {}};
    d.changes.emplace_back(transition{which.id, which.state, which.reason, d.reason});
    return d;
}

result<decision> next_attempt(const act& a, const pipeline_records& records, const promotion& p) {
    const auto into = open_to_new(*a.pipeline, p.id.environment);
    if (!into) return into.error();
    promotion next;
    next.id = p.id;
    ++next.id.attempt;
    next.facts = p.facts;
    next.reason = why::retried;
    next.from_environment = p.from_environment;
    next.url = p.url;
    next.first_evidence = p.first_evidence;
    if (auto fine = check_candidate(a, records, **into, next); !fine) return fine.error();
    return open_for_person(a, records, **into, std::move(next), by_whom(a, "retried"));
}

} // namespace

result<decision> retry(const act& a, const pipeline_records& records, const promotion& p) {
    const auto* known = find_attempt(records, p.id);
    const auto forgotten = attempt_of(p);
    if (known == nullptr) {
        auto why_not = unknown(records, p.id);
        if (why_not.code == errc::conflict) return why_not;
    }
    const auto& which = known != nullptr ? *known : forgotten;
    switch (which.state) {
    case closed:
    case promotion_state::rejected:
    case expired:
    case promotion_state::cancelled: return next_attempt(a, records, p);
    case failed: {
        const auto order = contest_of(records, which);
        if (const auto* newer = order.newer()) {
            return conflict(
                fmt::format("{}, and {}", state_of(which), describe(*newer, p.id.environment))
            );
        }
        if (known == nullptr) return next_attempt(a, records, p);
        return again_in_place(a, which, p);
    }
    case held:
        if (which.reason == why::evidence)
            return conflict(state_of(which) + std::string{what_helps(which)});
        return again_in_place(a, which, p);
    case pending:
    case running:
    case pull_request_open:
        if (p.retry_at) return at_once(a, which);
        return decision{verdict_on_event::duplicate, state_of(which), p.id, {}};
    case awaiting_approval: return conflict(state_of(which) + ": approve it");
    case superseded: {
        const auto order = contest_of(records, which);
        const auto* newer = order.newer();
        return conflict(
            newer == nullptr
                ? state_of(which) + ": promote the revision to have it again"
                : fmt::format("{}: {}", state_of(which), describe(*newer, p.id.environment))
        );
    }
    default: break;
    }
    return conflict(state_of(which) + ": there is nothing to retry");
}

} // namespace sluice::pipeline
