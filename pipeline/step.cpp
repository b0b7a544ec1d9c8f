#include "pipeline/step.hpp"

#include "pipeline/draft.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {

const environment_record& record_of(const pipeline_records& records, std::string_view environment) {
    static const environment_record unknown;
    const auto found = records.find(environment);
    return found == records.end() ? unknown : found->second;
}

const attempt* find_attempt(const pipeline_records& records, const promotion_id& id) {
    const auto& attempts = record_of(records, id.environment).attempts;
    const auto found = std::ranges::find(attempts, id, &attempt::id);
    return found == attempts.end() ? nullptr : &*found;
}

contest contest_of(const pipeline_records& records, const attempt& a) {
    return {record_of(records, a.id.environment), {a.id.revision, a.first_evidence, &a}};
}

bool passes_by(const contender& newer, const attempt& a) {
    const bool at_work =
        a.state == promotion_state::running || a.state == promotion_state::pull_request_open;
    if (newer.attempt == nullptr || !at_work) return true;
    const auto state = newer.attempt->state;
    return state != promotion_state::awaiting_approval && state != promotion_state::held;
}

error conflict(std::string text) {
    return {errc::conflict, std::move(text)};
}

std::string state_of(const attempt& a) {
    return fmt::format("{} is {}", a.id.text(), to_string(a.state));
}

std::string describe(const contender& newer, std::string_view environment) {
    if (newer.attempt == nullptr)
        return fmt::format("{} runs the newer {}", environment, newer.revision);
    return fmt::format(
        "the newer {} is {} ({})",
        newer.revision,
        to_string(newer.attempt->state),
        newer.attempt->id.text()
    );
}

decision moving(
    verdict_on_event what,
    const promotion_id& id,
    promotion_state to,
    std::string_view reason,
    std::string message
) {
    decision d{what, message, id, {}};
    d.changes.emplace_back(transition{id, to, std::string{reason}, std::move(message)});
    return d;
}

void supersede(decision& d, const attempt& older, std::string message) {
    d.changes.emplace_back(transition{
        older.id, promotion_state::superseded, std::string{why::newer}, std::move(message)
    });
}

} // namespace sluice::pipeline
