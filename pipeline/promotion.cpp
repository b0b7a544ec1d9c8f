#include "pipeline/promotion.hpp"

#include <algorithm>
#include <array>

namespace sluice::pipeline {
namespace {

using enum promotion_state;

enum class phase {
    waiting, // nothing of it is visible outside
    working, // the executor is at it, or its pull request is open
    arrived, // written to the base branch, not yet reported
    ended,
};

struct state_row {
    promotion_state state;
    std::string_view name;
    pipeline::phase phase;
};

// In the order of the enum, so that a state is its own index.
constexpr std::array states{
    state_row{pending, "Pending", phase::waiting},
    state_row{awaiting_approval, "AwaitingApproval", phase::waiting},
    state_row{held, "Held", phase::waiting},
    state_row{running, "Running", phase::working},
    state_row{pull_request_open, "PullRequestOpen", phase::working},
    state_row{merged, "Merged", phase::arrived},
    state_row{deployed, "Deployed", phase::ended},
    state_row{notified, "Notified", phase::ended},
    state_row{superseded, "Superseded", phase::ended},
    state_row{rejected, "Rejected", phase::ended},
    state_row{expired, "Expired", phase::ended},
    state_row{cancelled, "Cancelled", phase::ended},
    state_row{denied, "Denied", phase::ended},
    state_row{closed, "Closed", phase::ended},
    state_row{no_change, "NoChange", phase::ended},
    state_row{failed, "Failed", phase::ended},
    state_row{deploy_failed, "DeployFailed", phase::ended},
};

constexpr bool in_enum_order() {
    for (std::size_t i = 0; i < states.size(); ++i)
        if (static_cast<std::size_t>(states[i].state) != i) return false;
    return true;
}
static_assert(in_enum_order());

const state_row& row(promotion_state state) noexcept {
    return states[static_cast<std::size_t>(state)];
}

struct step {
    promotion_state from;
    promotion_state to;
};

// What work may do beside the rules of may_follow().
constexpr std::array steps{
    step{pending, awaiting_approval},
    step{pending, running},
    step{awaiting_approval, pending},
    step{awaiting_approval, running},
    step{awaiting_approval, rejected},
    step{awaiting_approval, expired},
    step{held, pending},
    step{held, awaiting_approval},
    step{held, running},
    step{
        held, pull_request_open
    }, // its proof was withdrawn while the pull request was being opened
    step{held, expired},
    step{running, pull_request_open},
    step{running, notified},
    step{running, no_change},
    step{running, pending},
    step{pull_request_open, running},
    step{pull_request_open, closed},
    step{closed, pull_request_open},
    step{failed, pending},
    step{failed, awaiting_approval},
    step{failed, held}, // its proof was withdrawn
    step{failed, superseded},
};

} // namespace

std::string_view to_string(promotion_kind kind) noexcept {
    return kind == promotion_kind::rollback ? "rollback" : "promotion";
}

std::string_view to_string(promotion_state state) noexcept {
    return row(state).name;
}

std::optional<promotion_kind> parse_promotion_kind(std::string_view text) noexcept {
    if (text == "promotion") return promotion_kind::promotion;
    if (text == "rollback") return promotion_kind::rollback;
    return std::nullopt;
}

std::optional<promotion_state> parse_promotion_state(std::string_view text) noexcept {
    const auto* found = std::ranges::find(states, text, &state_row::name);
    if (found == states.end()) return std::nullopt;
    return found->state;
}

std::string_view to_string(pull_request_state state) noexcept {
    switch (state) {
    case pull_request_state::open: return "open";
    case pull_request_state::merged: return "merged";
    case pull_request_state::closed: return "closed";
    }
    return "open";
}

std::optional<pull_request_state> parse_pull_request_state(std::string_view text) noexcept {
    using state_of = pull_request_state;
    for (const auto state : {state_of::open, state_of::merged, state_of::closed}) {
        if (to_string(state) == text) return state;
    }
    return std::nullopt;
}

bool has_ended(promotion_state state) noexcept {
    return row(state).phase == phase::ended;
}

bool is_over(promotion_state state) noexcept {
    return has_ended(state) && state != failed;
}

bool still_waits(promotion_state state) noexcept {
    return row(state).phase == phase::waiting;
}

bool may_follow(promotion_state from, promotion_state to) noexcept {
    // Facts are recorded from any state: a reopened pull request is merged, a report comes before the poll.
    if (to == merged || to == deployed || to == deploy_failed) return from != to;
    if (from == to) return !has_ended(from); // another reason in the same state
    const auto before = row(from).phase;
    if (before == phase::waiting || before == phase::working) {
        if (to == held || to == cancelled || to == denied || to == failed || to == superseded) {
            return true;
        }
    }
    if (before == phase::arrived && to == superseded) return true;
    const auto is_step = [&](const step& s) { return s.from == from && s.to == to; };
    return std::ranges::any_of(steps, is_step);
}

} // namespace sluice::pipeline
