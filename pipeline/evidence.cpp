#include "pipeline/evidence.hpp"

#include "pipeline/version.hpp"

#include <set>

namespace sluice::pipeline {
namespace {

// What a target last spoke of, if it speaks of anything.
const slot* filled_slot(const slot_map& slots, std::string_view key) {
    const auto found = slots.find(key);
    return found == slots.end() || found->second.facts.revision.empty() ? nullptr : &found->second;
}

const slot* if_about(const revision_facts& facts, const slot* s) {
    return s != nullptr && same_release(s->facts, facts) ? s : nullptr;
}

} // namespace

evidence
weigh(const environment& env, const slot_map& slots, const revision_facts& facts, proof wanted) {
    evidence e;
    const bool any = env.required == required_targets::any;
    std::size_t healthy = 0;
    std::set<std::string> seen;
    for (const auto& t : env.targets) {
        auto key = target_key(t);
        const auto* const last = filled_slot(slots, key);
        const auto* const s = if_about(facts, last);
        if (!seen.insert(std::move(key)).second) continue;
        if (s != last) ++e.elsewhere;
        ++e.targets;
        const bool is_healthy = s != nullptr && s->verdict == verdict::healthy;
        if (is_healthy) ++healthy;
        if (is_healthy && (wanted == proof::release || s->tested)) {
            const bool earlier = s->signed_at < e.since;
            if (e.proven++ == 0 || earlier == any) e.since = s->signed_at;
        } else if (s != nullptr && s->verdict == verdict::failed) {
            e.failing.push_back(describe(t));
        } else {
            e.missing.push_back(describe(t));
        }
    }
    const auto enough = [&](std::size_t count) { return any ? count > 0 : count == e.targets; };
    e.tests_missing = enough(healthy) && !enough(e.proven);

    const auto* const claim = if_about(facts, filled_slot(slots, trigger_slot));
    const bool claimed = claim != nullptr && claim->verdict == verdict::healthy;
    // What Flux saw failing beats a claim; where any target will do, one that proves it beats one that fails.
    if (!e.failing.empty() && !(any && e.proven > 0)) {
        e.standing = standing::failed;
    } else if (e.targets > 0 && enough(e.proven)) {
        e.standing = standing::proven;
    } else if (claimed) {
        e.standing = standing::proven;
        e.claimed = true;
        e.since = claim->signed_at;
    }
    return e;
}

bool failed_before(
    const definition& pipeline,
    const pipeline_records& records,
    const environment& into,
    const revision_facts& facts
) {
    const auto* source = pipeline.previous_to(into.name);
    if (source == nullptr) return false;
    const auto found = records.find(source->name);
    if (found == records.end()) return false;
    return weigh(*source, found->second.slots, facts, source->proof).standing == standing::failed;
}

} // namespace sluice::pipeline
