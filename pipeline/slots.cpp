#include "pipeline/slots.hpp"

#include "pipeline/version.hpp"

#include <algorithm>

namespace sluice::pipeline {
namespace {

// Which of two words in the same second stands.
int weight(verdict v) {
    switch (v) {
    case verdict::failed: return 3;
    case verdict::uninstalled: return 2;
    case verdict::rolled_back: return 1;
    case verdict::healthy:
    case verdict::none: break;
    }
    return 0;
}

slot slot_of(const deployment_event& event) {
    slot s;
    if (event.verdict != verdict::uninstalled) s.facts = event.facts;
    s.verdict = event.verdict;
    s.tested = event.tested;
    s.signed_at = event.signed_at;
    return s;
}

std::optional<slot> of_the_same_second(const slot& before, slot after) {
    if (weight(after.verdict) != weight(before.verdict)) {
        if (weight(after.verdict) < weight(before.verdict)) return std::nullopt;
        return after;
    }
    if (same_release(before.facts, after.facts)) {
        after.tested = after.tested || before.tested;
        return after;
    }
    const auto order = compare_versions(written_form(after.facts), written_form(before.facts));
    if (order && *order > 0) return after;
    return std::nullopt;
}

bool is_slot_of(const environment& env, std::string_view key) {
    if (key == trigger_slot || key == into_slot) return true;
    return std::ranges::any_of(env.targets, [&](const target& t) { return target_key(t) == key; });
}

} // namespace

std::optional<slot>
last_word(const slot* before, const deployment_event& event, time_point horizon) {
    auto after = slot_of(event);
    const bool is_known = before != nullptr && before->signed_at <= horizon;
    if (!is_known || before->signed_at < after.signed_at) return after;
    if (before->signed_at > after.signed_at) return std::nullopt;
    return of_the_same_second(*before, std::move(after));
}

slot_changes report_to_slots(const arrival& a, const slot_map& before, time_point horizon) {
    slot_changes result{before, true, {}};
    for (const auto& key : a.targets) {
        const auto found = before.find(key);
        const auto* const old = found == before.end() ? nullptr : &found->second;
        auto word = last_word(old, a.event, horizon);
        if (!word) continue;
        result.stale = false;
        if (old != nullptr && *old == *word) continue;
        result.after.insert_or_assign(key, *word);
        result.changes.emplace_back(set_slot{a.environment, key, std::move(*word)});
    }
    if (result.stale) return result;
    // A target the Pipeline no longer names must not speak again should it come back.
    const auto& env = *a.pipeline->find(a.environment);
    for (const auto& [key, ignored] : before) {
        if (is_slot_of(env, key)) continue;
        result.after.erase(key);
        result.changes.emplace_back(clear_slot{a.environment, key});
    }
    return result;
}

} // namespace sluice::pipeline
