#include "pipeline/draft.hpp"

#include "pipeline/step.hpp"

namespace sluice::pipeline {

const environment_record& draft::record_of(std::string_view environment) const {
    return pipeline::record_of(before, environment);
}

void draft::move(
    const attempt& which, promotion_state to, std::string_view reason, std::string message
) {
    change(transition{which.id, to, std::string{reason}, std::move(message)});
}

void draft::answer(verdict_on_event what, std::string reason, std::optional<promotion_id> id) {
    decision.what = what;
    decision.reason = std::move(reason);
    decision.promotion = std::move(id);
}

} // namespace sluice::pipeline
