#include "pipeline/promotion.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

namespace {

const std::vector<promotion_state> all_states{
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

} // namespace

TEST_CASE("every state and kind is read back from the name it is written with") {
    for (const auto s : all_states) {
        INFO(to_string(s));
        CHECK(parse_promotion_state(to_string(s)) == s);
    }
    CHECK(to_string(awaiting_approval) == "AwaitingApproval");
    CHECK(to_string(pull_request_open) == "PullRequestOpen");
    CHECK(to_string(no_change) == "NoChange");
    CHECK(to_string(deploy_failed) == "DeployFailed");
    CHECK_FALSE(parse_promotion_state("pending"));
    CHECK_FALSE(parse_promotion_state(""));
    for (const auto k : {promotion_kind::promotion, promotion_kind::rollback}) {
        CHECK(parse_promotion_kind(to_string(k)) == k);
    }
    CHECK_FALSE(parse_promotion_kind("Rollback"));
}

TEST_CASE("a promotion waits, works, has arrived or has ended, and never two of these") {
    const std::vector<promotion_state> waiting{pending, awaiting_approval, held};
    const std::vector<promotion_state> alive{
        pending, awaiting_approval, held, running, pull_request_open, merged
    };
    const auto is_in = [](const auto& list, promotion_state s) {
        return std::find(list.begin(), list.end(), s) != list.end();
    };
    for (const auto s : all_states) {
        INFO(to_string(s));
        CHECK(still_waits(s) == is_in(waiting, s));
        CHECK(has_ended(s) == !is_in(alive, s));
    }
}

TEST_CASE("a merge, a deployment and its failure are facts recorded from any state") {
    for (const auto from : all_states) {
        for (const auto fact : {merged, deployed, deploy_failed}) {
            INFO(to_string(from) << " -> " << to_string(fact));
            CHECK(may_follow(from, fact) == (from != fact));
        }
    }
}

TEST_CASE("work follows the state machine of a promotion") {
    struct row {
        promotion_state from;
        promotion_state to;
        bool allowed;
    };
    const row rows[] = {
        {pending, awaiting_approval, true},
        {pending, running, true},
        {pending, superseded, true},
        {pending, held, true},
        {awaiting_approval, rejected, true},
        {awaiting_approval, expired, true},
        {awaiting_approval, running, true},
        {held, awaiting_approval, true},
        {held, held, true},              // another gate
        {held, pull_request_open, true}, // its proof was withdrawn meanwhile
        {held, pending, true},
        {running, held, true}, // somebody's commit on the branch
        {failed, superseded, true},
        {running, pull_request_open, true},
        {running, notified, true},
        {running, no_change, true},
        {running, failed, true},
        {pull_request_open, closed, true},
        {pull_request_open, pull_request_open, true},
        {pull_request_open, superseded, true},
        {closed, pull_request_open, true}, // reopened
        {failed, pending, true},           // retried in place
        {failed, held, true},              // its proof was withdrawn
        {merged, superseded, true},

        {pending, notified, false},
        {pending, pull_request_open, false},
        {awaiting_approval, no_change, false},
        {merged, running, false},
        {merged, held, false},
        {merged, cancelled, false},
        {deployed, pending, false},
        {deployed, superseded, false},
        {superseded, pending, false},
        {rejected, awaiting_approval, false}, // a new attempt is opened by people only
        {cancelled, cancelled, false},
        {denied, pending, false},
        {expired, running, false},
        {notified, failed, false},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.from) << " -> " << to_string(r.to));
        CHECK(may_follow(r.from, r.to) == r.allowed);
    }
}

TEST_CASE("what has ended is left only for a fact, a retry or a reopened pull request") {
    for (const auto from : all_states) {
        if (!has_ended(from) || from == failed || from == closed) continue;
        for (const auto to : all_states) {
            if (to == merged || to == deployed || to == deploy_failed) continue;
            INFO(to_string(from) << " -> " << to_string(to));
            CHECK_FALSE(may_follow(from, to));
        }
    }
}

TEST_CASE("every state of a pull request is read back from the name it is written with") {
    using is = pull_request_state;
    for (const auto s : {is::open, is::merged, is::closed}) {
        CHECK(parse_pull_request_state(to_string(s)) == s);
    }
    CHECK(to_string(is::merged) == "merged");
    CHECK_FALSE(parse_pull_request_state(""));
    CHECK_FALSE(parse_pull_request_state("Open"));
}
