#pragma once

#include "pipeline/decide.hpp"
#include "pipeline/order.hpp"

#include <string>
#include <string_view>

// What the acts of people (acts.hpp) and the steps of the executor (progress.hpp) share.
namespace sluice::pipeline {

[[nodiscard]] const environment_record&
record_of(const pipeline_records& records, std::string_view environment);
// Null when it was never opened, or is known to history only.
[[nodiscard]] const attempt* find_attempt(const pipeline_records& records, const promotion_id& id);

// This attempt among all that compete for its environment.
[[nodiscard]] contest contest_of(const pipeline_records& records, const attempt& a);

// One that is at work goes on beside a newer one that waits for approval or for a gate; any other is passed by.
[[nodiscard]] bool passes_by(const contender& newer, const attempt& a);

[[nodiscard]] error conflict(std::string text);
// "default/podinfo/prod@6.1.8 is Superseded".
[[nodiscard]] std::string state_of(const attempt& a);
// "the newer 6.1.9 is AwaitingApproval (default/podinfo/prod@6.1.9)", or "prod runs the newer 6.1.9".
[[nodiscard]] std::string describe(const contender& newer, std::string_view environment);

// A decision that moves one promotion.
[[nodiscard]] decision moving(
    verdict_on_event what,
    const promotion_id& id,
    promotion_state to,
    std::string_view reason,
    std::string message
);
// Adds the end of one that a newer revision replaces.
void supersede(decision& d, const attempt& older, std::string message);

} // namespace sluice::pipeline
