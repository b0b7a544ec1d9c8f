#pragma once

#include "base/clock.hpp"
#include "pipeline/deployment_event.hpp"
#include "pipeline/pipeline.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::pipeline {

enum class promotion_kind { promotion, rollback };

// DESIGN, "The state of a promotion".
enum class promotion_state {
    pending,
    awaiting_approval,
    held,
    running,
    pull_request_open,
    merged,
    deployed,
    notified,
    superseded,
    rejected,
    expired,
    cancelled,
    denied,
    closed,
    no_change,
    failed,
    deploy_failed,
};

[[nodiscard]] std::string_view to_string(promotion_kind kind) noexcept;
[[nodiscard]] std::string_view to_string(promotion_state state) noexcept; // "AwaitingApproval"
[[nodiscard]] std::optional<promotion_kind> parse_promotion_kind(std::string_view text) noexcept;
[[nodiscard]] std::optional<promotion_state> parse_promotion_state(std::string_view text) noexcept;

// No work is left to do. Facts (merged, deployed) may still be recorded.
[[nodiscard]] bool has_ended(promotion_state state) noexcept;
// It waits and nothing of it is visible outside: a newer revision supersedes it at once.
[[nodiscard]] bool still_waits(promotion_state state) noexcept;
[[nodiscard]] bool may_follow(promotion_state from, promotion_state to) noexcept;

// Deterministic, so that a repeated event, a retry, a restart or a second replica finds the existing one.
struct promotion_id {
    object_name pipeline;
    std::string environment; // where it goes
    std::string revision;    // in written form
    promotion_kind kind = promotion_kind::promotion;
    int attempt = 1;

    friend auto operator<=>(const promotion_id&, const promotion_id&) = default;
    // "ns/pipeline/env@revision", "#n" from the second attempt on; a rollback says "ns/pipeline/env@revision!rollback".
    [[nodiscard]] std::string text() const;
    [[nodiscard]] static std::optional<promotion_id> parse(std::string_view text);
};

// A promotion as the ledger keeps it.
struct promotion {
    promotion_id id;
    revision_facts facts;
    promotion_state state = promotion_state::pending;
    std::string reason;  // one word for programs
    std::string message; // one sentence for people
    std::string from_environment;
    time_point first_evidence; // signed time of the first proof
    time_point created_at;
    time_point updated_at;
    std::optional<time_point> retry_at;
};

} // namespace sluice::pipeline
