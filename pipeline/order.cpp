#include "pipeline/order.hpp"

#include <algorithm>

namespace sluice::pipeline {
namespace {

// What is deployed is the environment's current revision; what ended otherwise left nothing to overtake.
bool competes(promotion_state state) {
    return !has_ended(state) || state == promotion_state::notified ||
           state == promotion_state::no_change;
}

} // namespace

bool is_attempt_at(const attempt& a, const release& r) {
    return a.id.revision == r.written && same_release({a.id.revision, digest_of(a.facts)}, r);
}

const attempt* newest_attempt(const environment_record& into, const revision_facts& facts) {
    const auto wanted = release_of(facts);
    const auto is_same = [&](const attempt& a) { return is_attempt_at(a, wanted); };
    const auto found = std::find_if(into.attempts.rbegin(), into.attempts.rend(), is_same);
    return found == into.attempts.rend() ? nullptr : &*found;
}

contest::contest(const environment_record& into, contender candidate)
    : candidate_(std::move(candidate)) {
    if (into.current) {
        const auto* a = newest_attempt(into, *into.current);
        contender current{written_form(*into.current), std::nullopt, nullptr};
        if (a != nullptr) current.first_evidence = a->first_evidence;
        others_.push_back(std::move(current));
    }
    for (const auto& a : into.attempts) {
        if (competes(a.state)) others_.push_back({a.id.revision, a.first_evidence, &a});
    }
    std::erase_if(others_, [&](const contender& c) { return c.revision == candidate_.revision; });
    by_version_ =
        is_version(candidate_.revision) &&
        std::ranges::all_of(others_, [](const contender& c) { return is_version(c.revision); });
}

const contender* contest::newer() const& {
    const contender* newest = nullptr;
    for (const auto& c : others_) {
        if (is_newer(c, candidate_) && (newest == nullptr || is_newer(c, *newest))) newest = &c;
    }
    return newest;
}

std::vector<const contender*> contest::newer_ones() const& {
    std::vector<const contender*> newer;
    for (const auto& c : others_) {
        if (is_newer(c, candidate_)) newer.push_back(&c);
    }
    return newer;
}

std::vector<const attempt*> contest::older_attempts() const {
    std::vector<const attempt*> older;
    for (const auto& c : others_) {
        if (c.attempt != nullptr && is_newer(candidate_, c)) older.push_back(c.attempt);
    }
    return older;
}

bool contest::is_newer(const contender& a, const contender& b) const {
    if (by_version_) {
        const auto order = compare_versions(a.revision, b.revision);
        if (order && *order != 0) return *order > 0;
    }
    return a.first_evidence && b.first_evidence && *a.first_evidence > *b.first_evidence;
}

} // namespace sluice::pipeline
