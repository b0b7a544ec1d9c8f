#pragma once

#include "base/clock.hpp"
#include "pipeline/deployment_event.hpp"
#include "pipeline/pipeline.hpp"

#include <cstdint>
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
// Ended for good: a Failed one may be opened again.
[[nodiscard]] bool is_over(promotion_state state) noexcept;
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
    // First what differs between the promotions of one environment.
    friend bool operator==(const promotion_id& a, const promotion_id& b) {
        return a.revision == b.revision && a.attempt == b.attempt && a.kind == b.kind &&
               a.environment == b.environment && a.pipeline == b.pipeline;
    }
    // "ns/pipeline/env@revision", "#n" from the second attempt on; a rollback says "ns/pipeline/env@revision!rollback".
    [[nodiscard]] std::string text() const;
    [[nodiscard]] static std::optional<promotion_id> parse(std::string_view text);
};

enum class pull_request_state { open, merged, closed };
[[nodiscard]] std::string_view to_string(pull_request_state state) noexcept; // "open"
[[nodiscard]] std::optional<pull_request_state> parse_pull_request_state(std::string_view text
) noexcept;

struct pull_request {
    std::string url;
    std::int64_t number = 0;
    pull_request_state state = pull_request_state::open;
    std::string head; // the commit at its head when last seen

    friend bool operator==(const pull_request&, const pull_request&) = default;
};

// What the executor did outside or is about to do: written down before it relies on it, so that whoever goes on after a
// crash knows what is ours.
struct promotion_work {
    std::string repository;  // URL without credentials
    std::string base_branch; // where the change goes in the end
    std::string branch;      // that was or will be pushed
    std::string base_commit; // what `commit` stands on
    std::string commit;      // recorded before the push
    std::string replaced;    // what the first marked scalar said before
    std::optional<pipeline::pull_request> pull_request;
    int failures = 0; // transient ones in a row

    friend bool operator==(const promotion_work&, const promotion_work&) = default;
};

// A promotion as the ledger keeps it.
struct promotion {
    promotion_id id;
    revision_facts facts;
    promotion_state state = promotion_state::pending;
    std::string reason;  // one word for programs
    std::string message; // one sentence for people
    std::string from_environment;
    std::string url;           // of the CI run that claimed it
    time_point first_evidence; // signed time of the first proof
    time_point created_at;
    time_point updated_at;
    std::optional<time_point> retry_at;
    promotion_work work;
};

} // namespace sluice::pipeline
