#include "pipeline/order.hpp"

#include "pipeline/commit_report.hpp"

#include <algorithm>

namespace sluice::pipeline {
namespace {

// What is deployed is the environment's current revision; what ended otherwise left nothing to overtake.
bool competes(const attempt& a) {
    if (is_looked_up(a)) return false; // perhaps a release that is among the others
    return !has_ended(a.state) || a.state == promotion_state::notified ||
           a.state == promotion_state::no_change;
}

// A current revision that failed in its target runs nowhere, and must not block the fix of an older line.
std::optional<contender> what_runs(const environment_record& into) {
    if (!into.current) return std::nullopt;
    contender current{written_form(*into.current), std::nullopt, nullptr};
    if (const auto* a = newest_attempt(into, *into.current)) {
        if (a->state == promotion_state::deploy_failed) return std::nullopt;
        current.first_evidence = a->first_evidence;
    }
    return current;
}

} // namespace

bool is_attempt_at(const attempt& a, const release& r) {
    return a.id.revision == r.written && same_release({a.id.revision, digest_of(a.facts)}, r);
}

const attempt* attempt_named(const environment_record& into, std::string_view revision) {
    const auto is_it = [&](const attempt& a) {
        return a.id.kind == promotion_kind::promotion && a.id.revision == revision;
    };
    const auto found = std::ranges::find_if(into.attempts, is_it);
    return found == into.attempts.end() ? nullptr : &*found;
}

const attempt* newest_attempt(const environment_record& into, const revision_facts& facts) {
    const auto wanted = release_of(facts);
    const auto is_same = [&](const attempt& a) { return is_attempt_at(a, wanted); };
    const auto found = std::find_if(into.attempts.rbegin(), into.attempts.rend(), is_same);
    return found == into.attempts.rend() ? nullptr : &*found;
}

contest::contest(const environment_record& into, contender candidate)
    : candidate_(std::move(candidate)) {
    if (auto running = what_runs(into)) others_.push_back(std::move(*running));
    for (const auto& a : into.attempts) {
        if (competes(a)) others_.push_back({a.id.revision, a.first_evidence, &a});
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
