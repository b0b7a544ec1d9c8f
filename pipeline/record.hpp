#pragma once

#include "base/clock.hpp"
#include "pipeline/promotion.hpp"

#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

// What is known of each environment. decide() reads this, never history.
namespace sluice::pipeline {

// A CI trigger is a slot of its own that stands for all targets.
inline constexpr std::string_view trigger_slot = "@trigger";
// A trigger "into" an environment asks, it proves nothing there: its slot only keeps replays out.
inline constexpr std::string_view into_slot = "@into";

// The last word about one (environment, target). After an uninstall it holds no revision, only the time, so that an
// older report cannot fill it again.
struct slot {
    revision_facts facts;
    pipeline::verdict verdict = pipeline::verdict::none;
    bool tested = false;
    time_point signed_at;

    friend bool operator==(const slot&, const slot&) = default;
};

// The newest attempt of a revision into an environment: what decide() needs to know of a promotion.
struct attempt {
    promotion_id id;
    revision_facts facts;
    promotion_state state = promotion_state::pending;
    std::string reason; // one word for programs: "evidence" while its proof is withdrawn
    time_point first_evidence;

    friend bool operator==(const attempt&, const attempt&) = default;
};

struct environment_record {
    std::map<std::string, slot, std::less<>> slots; // by target_key(), trigger_slot or into_slot
    std::optional<revision_facts> current;          // last Deployed, else last Merged
    std::vector<attempt>
        attempts; // into this environment: live ones, and of revisions still reported

    friend bool operator==(const environment_record&, const environment_record&) = default;
};

using pipeline_records =
    std::map<std::string, environment_record, std::less<>>; // by environment name

// What a decision changes. The ledger writes each durably and keeps its records by apply().
struct set_slot {
    std::string environment;
    std::string target;
    pipeline::slot slot;
};
struct clear_slot {
    std::string environment;
    std::string target;
};
struct set_current {
    std::string environment;
    revision_facts facts;
};
// Replaces an attempt at the same revision. A ledger whose history already has this very id re-opens it in place.
struct open_promotion {
    pipeline::promotion promotion;
};
struct transition {
    promotion_id id;
    promotion_state to = promotion_state::pending;
    std::string reason;
    std::string message;
    std::optional<time_point> retry_at = std::nullopt; // when the executor tries again
};
struct set_work {
    promotion_id id;
    promotion_work work;
};
// An ended attempt whose revision nobody reports any more; the promotion itself stays in history.
struct forget_attempt {
    promotion_id id;
};
using change = std::variant<
    set_slot,
    clear_slot,
    set_current,
    open_promotion,
    transition,
    set_work,
    forget_attempt>;

void apply(pipeline_records& records, const change& c);

// How a ledger that keeps promotions rebuilds environment_record::attempts, oldest first.
[[nodiscard]] attempt attempt_of(const promotion& p);

} // namespace sluice::pipeline
