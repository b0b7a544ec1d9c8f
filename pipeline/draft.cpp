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

promotion draft::promotion_into(const environment& into, time_point first_evidence) const {
    promotion p;
    p.id = {a.pipeline->name, into.name, revision};
    p.facts = a.event.facts;
    if (&into != &here) p.from_environment = here.name;
    p.url = a.event.url;
    p.first_evidence = first_evidence;
    p.created_at = now;
    p.updated_at = now;
    return p;
}

void draft::open(promotion p, verdict_on_event what) {
    auto id = p.id;
    auto text = p.message;
    change(open_promotion{std::move(p)});
    answer(what, std::move(text), std::move(id));
}

void draft::answer(verdict_on_event what, std::string reason, std::optional<promotion_id> id) {
    decision.what = what;
    decision.reason = std::move(reason);
    decision.promotion = std::move(id);
}

} // namespace sluice::pipeline
