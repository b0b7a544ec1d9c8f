#include "pipeline/version.hpp"
#include "promotion/text/pull_request_text.hpp"

#include <map>

namespace sluice::promotion::text {
namespace {

bool proves(const pipeline::slot& s, const pipeline::revision_facts& facts) {
    return s.verdict == pipeline::verdict::healthy && pipeline::same_release(s.facts, facts);
}

proof proof_of(std::string target, const pipeline::slot& s) {
    return {std::move(target), pipeline::written_form(s.facts), s.signed_at, s.tested};
}

std::vector<proof> evidence_of(
    const pipeline::environment& from,
    const pipeline::environment_record& record,
    const pipeline::revision_facts& facts
) {
    std::vector<proof> found;
    std::map<std::string, bool> seen;
    for (const auto& t : from.targets) {
        const auto key = pipeline::target_key(t);
        if (!seen.emplace(key, true).second) continue;
        const auto s = record.slots.find(key);
        if (s != record.slots.end() && proves(s->second, facts)) {
            found.push_back(proof_of(pipeline::describe(t), s->second));
        }
    }
    const auto claim = record.slots.find(pipeline::trigger_slot);
    if (claim != record.slots.end() && proves(claim->second, facts)) {
        found.push_back(proof_of("", claim->second));
    }
    return found;
}

void read_strategy(text_input& in, const pipeline::strategy& s) {
    if (const auto* pull = std::get_if<pipeline::pull_request_strategy>(&s.how)) {
        in.base_branch = pull->base_branch;
        in.auto_merge = pull->auto_merge.has_value();
    } else if (const auto* push = std::get_if<pipeline::push_strategy>(&s.how)) {
        in.base_branch = push->branch;
    }
}

} // namespace

text_input describe(
    const pipeline::definition& pipeline,
    const pipeline::promotion& promotion,
    const pipeline::pipeline_records& records
) {
    text_input in;
    in.promotion = promotion;
    in.app = pipeline.app.kind + " " + pipeline.app.name;
    const auto* into = pipeline.find(promotion.id.environment);
    if (into != nullptr) {
        if (const auto* policy = pipeline.policy_into(*into)) read_strategy(in, policy->strategy);
    }
    if (const auto* next = pipeline.next_after(promotion.id.environment)) {
        if (pipeline.policy_into(*next) != nullptr) in.next_environment = next->name;
    }

    const auto record_of = [&](const std::string& environment) {
        const auto found = records.find(environment);
        return found == records.end() ? nullptr : &found->second;
    };
    if (promotion.from_environment.empty()) {
        // CI asked to carry it into this environment: a claim with no place of its own.
        const auto* record = record_of(promotion.id.environment);
        if (record == nullptr) return in;
        const auto asked = record->slots.find(pipeline::into_slot);
        if (asked == record->slots.end()) return in;
        if (pipeline::same_release(asked->second.facts, promotion.facts)) {
            in.evidence.push_back(proof_of("", asked->second));
        }
        return in;
    }
    const auto* from = pipeline.find(promotion.from_environment);
    const auto* record = record_of(promotion.from_environment);
    if (from != nullptr && record != nullptr) {
        in.evidence = evidence_of(*from, *record, promotion.facts);
    }
    return in;
}

} // namespace sluice::promotion::text
