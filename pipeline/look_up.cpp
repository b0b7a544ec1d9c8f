#include "pipeline/look_up.hpp"

#include "pipeline/commit_report.hpp"
#include "pipeline/order.hpp"
#include "pipeline/withdraw.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {
namespace {

bool names_our_branch(const draft& d) {
    return d.a.event.source == evidence_source::flux &&
           reported_from(*d.a.pipeline, d.here.name, d.a.event.facts) != nullptr;
}

bool is_release(const attempt& a) {
    return !parse_git_revision(a.facts.revision);
}

std::string sentence(std::string_view because) {
    return fmt::format("{}; what that commit deploys is looked up", because);
}

void look_once_more(
    draft& d,
    const environment& into,
    const attempt& existing,
    std::string_view reason,
    std::string_view because
) {
    if (is_looked_up(existing)) {
        d.move(existing, promotion_state::pending, reason, sentence(because));
        d.answer(verdict_on_event::promote, sentence(because), existing.id);
        return;
    }
    auto p = d.promotion_into(into, existing.first_evidence);
    p.id = existing.id;
    look_up(d, std::move(p), reason, because);
}

// A release that is on its way from here, or that was merged into here and not reported yet.
bool is_at_stake(const draft& d, const environment& into) {
    const auto is_on_its_way = [&](const attempt& a) {
        return !is_over(a.state) && a.state != promotion_state::merged && is_release(a);
    };
    const auto is_merged = [&](const attempt& a) {
        return a.state == promotion_state::merged && is_release(a);
    };
    return std::ranges::any_of(d.record_of(into.name).attempts, is_on_its_way) ||
           std::ranges::any_of(d.record_of(d.here.name).attempts, is_merged);
}

} // namespace

bool is_about_our_branch(const draft& d, const environment& into) {
    return &into != &d.here && names_our_branch(d);
}

void look_up(draft& d, promotion p, std::string_view reason, std::string_view because) {
    p.reason = reason;
    p.message = sentence(because);
    d.open(std::move(p), verdict_on_event::promote);
}

bool look_up_again(
    draft& d, const environment& into, const attempt& existing, std::string_view because
) {
    const bool failed = is_looked_up(existing) && existing.reason == why::failed_commit;
    const bool something_waits = was_translated(existing) &&
                                 std::ranges::any_of(d.record_of(into.name).attempts, is_withdrawn);
    if (!is_about_our_branch(d, into) || !(failed || something_waits)) return false;
    look_once_more(d, into, existing, why::commit, because);
    return true;
}

bool look_up_failure(draft& d, const environment& into) {
    if (!is_about_our_branch(d, into) || d.a.pipeline->policy_into(into) == nullptr) return false;
    const auto because = fmt::format("{} failed in {}", d.revision, d.here.name);
    const auto* existing = attempt_named(d.record_of(into.name), d.revision);
    if (existing != nullptr) {
        if (!is_looked_up(*existing) && !was_translated(*existing)) return false;
        look_once_more(d, into, *existing, why::failed_commit, because);
        return true;
    }
    if (!is_at_stake(d, into)) return false;
    look_up(d, d.promotion_into(into, d.a.event.signed_at), why::failed_commit, because);
    return true;
}

bool look_up_own(draft& d) {
    if (!names_our_branch(d)) return false;
    const bool failed = d.a.event.verdict == verdict::failed;
    const auto& here = d.record_of(d.here.name);
    const auto may_change = [&](const attempt& a) {
        const auto before = failed ? promotion_state::deployed : promotion_state::deploy_failed;
        return (a.state == promotion_state::merged || a.state == before) && is_release(a);
    };
    if (std::ranges::none_of(here.attempts, may_change)) return false;
    auto p = d.promotion_into(d.here, d.a.event.signed_at);
    p.from_environment = d.here.name;
    if (const auto* existing = attempt_named(here, d.revision)) {
        if (!was_translated(*existing)) return false; // it is on its way here, or was
        p.id = existing->id;
    }
    const auto because =
        fmt::format("{} {} in {}", d.revision, failed ? "failed" : "is healthy", d.here.name);
    look_up(d, std::move(p), why::own_commit, because);
    return true;
}

} // namespace sluice::pipeline
