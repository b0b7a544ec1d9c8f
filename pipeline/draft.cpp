#include "pipeline/draft.hpp"

namespace sluice::pipeline {

const environment_record& draft::record_of(std::string_view environment) const {
    static const environment_record unknown;
    const auto found = before.find(environment);
    return found == before.end() ? unknown : found->second;
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
