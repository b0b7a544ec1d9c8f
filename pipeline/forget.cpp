#include "pipeline/forget.hpp"

#include "pipeline/order.hpp"

#include <algorithm>
#include <ranges>
#include <vector>

namespace sluice::pipeline {
namespace {

// How far an environment may go back before what ended there counts as new. Every event of the pipeline reads all of them.
constexpr std::size_t ended_attempts_kept = 10;

// What somebody still reports, or what runs: reports of these must find their attempt.
std::vector<release> spoken_of(const draft& d, const environment& into) {
    const auto& record = d.record_of(into.name);
    std::vector<release> found;
    if (record.current) found.push_back(release_of(*record.current));
    const auto asked = record.slots.find(into_slot);
    if (asked != record.slots.end()) found.push_back(release_of(asked->second.facts));
    const auto* source = d.a.pipeline->previous_to(into.name);
    if (source == nullptr) return found;
    const auto& slots = source == &d.here ? d.slots : d.record_of(source->name).slots;
    for (const auto& [key, slot] : slots) found.push_back(release_of(slot.facts));
    return found;
}

} // namespace

void forget_ended_attempts(draft& d, const environment& into) {
    const auto& attempts = d.record_of(into.name).attempts;
    if (attempts.size() <= ended_attempts_kept) return;
    const auto spoken = spoken_of(d, into);
    const auto is_spoken_of = [&](const attempt& a) {
        return std::ranges::any_of(spoken, [&](const release& r) { return is_attempt_at(a, r); });
    };
    std::size_t kept = 0;
    for (const auto& a : attempts | std::views::reverse) {
        if (!has_ended(a.state) || is_spoken_of(a)) continue;
        if (++kept > ended_attempts_kept) d.change(forget_attempt{a.id});
    }
}

} // namespace sluice::pipeline
