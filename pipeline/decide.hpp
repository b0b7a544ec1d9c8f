#pragma once

#include "base/result.hpp"
#include "pipeline/deployment_event.hpp"
#include "pipeline/record.hpp"

#include <string>
#include <vector>

namespace sluice::pipeline {

// An event that fits its Pipeline: which environment it speaks of, and which of its targets.
struct arrival {
    definition_ptr pipeline;
    std::string environment;
    std::vector<std::string> targets; // slot keys the event speaks for; trigger_slot for a trigger
    deployment_event event;
};

// Unknown environment, another object, a cluster that names no target, a claim where none is allowed:
// errc::unprocessable with what to change.
[[nodiscard]] result<arrival>
match(definition_ptr pipeline, std::string environment, deployment_event event);

enum class verdict_on_event { promote, await_approval, record, ignore, duplicate };
[[nodiscard]] std::string_view to_string(verdict_on_event v) noexcept; // "await_approval"

struct decision {
    verdict_on_event what = verdict_on_event::ignore;
    std::string reason; // one sentence a person understands
    std::optional<promotion_id> promotion;
    std::vector<change> changes;
};

// The pure heart: everything it needs comes in, everything it wants comes out. No event signed later than `horizon` would be
// accepted now.
[[nodiscard]] decision
decide(const arrival& a, const pipeline_records& records, time_point now, time_point horizon);

} // namespace sluice::pipeline
