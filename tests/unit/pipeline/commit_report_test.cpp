#include "pipeline/commit_report.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

const std::string hex(40, 'a');

definition writing_to(const std::string& branch) {
    auto d = make_pipeline();
    pull_request_strategy how;
    how.base_branch = branch;
    d.promotion->strategy.how = how;
    return d;
}

} // namespace

TEST_CASE("only a branch with a commit can be a report about the branch that promotions write to") {
    CHECK(parse_git_revision("main@sha1:" + hex) == git_revision{"main", hex});
    CHECK(parse_git_revision("refs/heads/main@sha1:" + hex) == git_revision{"main", hex});
    CHECK(parse_git_revision("release/1@sha1:" + hex) == git_revision{"release/1", hex});
    for (const auto* other : {"6.1.8", "main@sha1:abc", "@sha1:", "latest@sha256:aaaa"}) {
        CHECK_FALSE(parse_git_revision(other).has_value());
    }
}

TEST_CASE("a commit of a branch that no promotion writes to is promoted as it is") {
    const auto from = [](const definition& d, const std::string& environment) {
        return reported_from(d, environment, facts("main@sha1:" + hex)) != nullptr;
    };
    CHECK(from(writing_to("main"), "staging"));
    CHECK(from(writing_to("main"), "prod"));
    CHECK_FALSE(from(writing_to("release"), "staging"));
    CHECK_FALSE(from(writing_to("main"), "nowhere"));
    auto told = writing_to("main");
    told.promotion->strategy.how = notification_strategy{};
    CHECK_FALSE(from(told, "staging"));
    auto pushed = writing_to("main");
    push_strategy how;
    how.branch = "main";
    pushed.promotion->strategy.how = how;
    CHECK(from(pushed, "staging"));
}

TEST_CASE("an environment nothing is promoted into may be deployed from where the next one is") {
    auto d = writing_to("main");
    d.environments[1].promotion = d.promotion;
    d.promotion.reset();
    const auto commit = facts("main@sha1:" + hex);
    CHECK(reported_from(d, "dev", commit) == d.policy_into(d.environments[1]));
    CHECK(reported_from(d, "prod", commit) == nullptr);
}
