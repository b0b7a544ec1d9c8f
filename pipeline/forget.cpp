#include "pipeline/forget.hpp"

#include "pipeline/version.hpp"

#include <algorithm>
#include <ranges>

namespace sluice::pipeline {
namespace {

// How far an environment may go back before what ended there counts as new.
constexpr std::size_t ended_attempts_kept = 32;

bool is_in(const slot_map& slots, const revision_facts& facts) {
    return std::ranges::any_of(slots, [&](const auto& entry) {
        return same_release(entry.second.facts, facts);
    });
}

bool is_asked_for(const environment_record& into, const revision_facts& facts) {
    const auto found = into.slots.find(into_slot);
    return found != into.slots.end() && same_release(found->second.facts, facts);
}

} // namespace

void forget_ended_attempts(draft& d, const environment& into) {
    const auto& record = d.record_of(into.name);
    const auto* source = d.a.pipeline->previous_to(into.name);
    const auto is_reported = [&](const attempt& a) {
        if (is_asked_for(record, a.facts)) return true;
        if (source == nullptr) return false;
        return is_in(source == &d.here ? d.slots : d.record_of(source->name).slots, a.facts);
    };
    std::size_t kept = 0;
    for (const auto& a : record.attempts | std::views::reverse) {
        if (!has_ended(a.state) || is_reported(a)) continue;
        if (record.current && same_release(*record.current, a.facts)) continue;
        if (++kept > ended_attempts_kept) d.change(forget_attempt{a.id});
    }
}

} // namespace sluice::pipeline
