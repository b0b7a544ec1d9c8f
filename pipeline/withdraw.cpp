#include "pipeline/withdraw.hpp"

#include "pipeline/commit_report.hpp"
#include "pipeline/evidence.hpp"
#include "pipeline/order.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {
namespace {

constexpr std::string_view held_until_healthy = "is held until it is healthy again";

// What is at work may be followed by a newer one; sent back to wait, it would be the older of two that wait.
bool has_successor(const environment_record& into, const attempt& a) {
    const auto waits = [&](const attempt& other) {
        return &other != &a && still_waits(other.state) && !is_looked_up(other);
    };
    const contest order{into, {a.id.revision, a.first_evidence, &a}};
    return order.newer() != nullptr || std::ranges::any_of(into.attempts, waits);
}

} // namespace

bool is_withdrawn(const attempt& a) {
    return a.reason == why::evidence &&
           (a.state == promotion_state::held || a.state == promotion_state::pull_request_open);
}

std::optional<withdrawal> withdraw(draft& d, const environment& into) {
    const auto& facts = d.a.event.facts;
    if (weigh(d.here, d.slots, facts, d.here.proof).standing != standing::failed)
        return std::nullopt;
    const auto& record = d.record_of(into.name);
    const auto* a = newest_attempt(record, facts);
    if (a == nullptr || a->id.kind != promotion_kind::promotion) return std::nullopt;
    // A Failed one too: it would be opened again when its Pipeline changes, and by then a rollback may have emptied the slot.
    if (is_over(a->state) || a->state == promotion_state::merged) return std::nullopt;
    if (is_withdrawn(*a)) return withdrawal{a->id, held_until_healthy};

    const bool has_pull_request = a->state == promotion_state::pull_request_open;
    if (!has_pull_request && has_successor(record, *a)) {
        const auto text =
            fmt::format("{} failed in {}, and another one follows", d.revision, d.here.name);
        d.move(*a, promotion_state::superseded, why::newer, text);
        return withdrawal{a->id, "is superseded by another one"};
    }
    // An open pull request is not hidden by the hold: it stays visible as such, and must not be merged.
    const auto to = has_pull_request ? promotion_state::pull_request_open : promotion_state::held;
    const auto text = fmt::format(
        "{} failed in {}; its promotion {}", d.revision, d.here.name, held_until_healthy
    );
    d.move(*a, to, why::evidence, text);
    return withdrawal{a->id, held_until_healthy};
}

void restore(draft& d, const environment& into, const attempt& held) {
    auto to = promotion_state::pending;
    auto what = verdict_on_event::promote;
    const auto* policy = d.a.pipeline->policy_into(into);
    if (held.state == promotion_state::pull_request_open) {
        to = promotion_state::pull_request_open;
    } else if (policy != nullptr && policy->manual) {
        to = promotion_state::awaiting_approval;
        what = verdict_on_event::await_approval;
    }
    auto text = fmt::format(
        "{} is healthy in {} again: its promotion into {} goes on",
        d.revision,
        d.here.name,
        into.name
    );
    d.move(held, to, why::proven, text);
    d.answer(what, std::move(text), held.id);
}

} // namespace sluice::pipeline
