#include "pipeline/pipeline.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice::pipeline;

TEST_CASE("environments follow each other in the order of the Pipeline") {
    const auto d = make_pipeline();
    CHECK(d.find("staging")->name == "staging");
    CHECK(d.find("qa") == nullptr);
    CHECK(d.next_after("dev")->name == "staging");
    CHECK(d.next_after("prod") == nullptr);
    CHECK(d.next_after("qa") == nullptr);
    CHECK(d.previous_to("prod")->name == "staging");
    CHECK(d.previous_to("dev") == nullptr);
    CHECK(d.previous_to("qa") == nullptr);
}

TEST_CASE("targets in one namespace are told apart by their cluster") {
    CHECK(target_key(on("podinfo")) == ":podinfo");
    CHECK(target_key(on("podinfo", "east")) == "flux-system/east:podinfo");
    CHECK(describe(on("podinfo")) == "podinfo");
    CHECK(describe(on("podinfo", "east")) == "podinfo on flux-system/east");
}

TEST_CASE("an environment's own promotion block overrides the pipeline's") {
    auto d = make_pipeline();
    CHECK_FALSE(d.policy_into(d.environments[1])->manual);
    d.environments[1].promotion = d.promotion;
    d.environments[1].promotion->manual = true;
    CHECK(d.policy_into(d.environments[1])->manual);
    CHECK_FALSE(d.policy_into(d.environments[2])->manual);
    d.promotion.reset();
    CHECK(d.policy_into(d.environments[2]) == nullptr);
}

TEST_CASE(
    "who may speak for an environment holds its own key, else the pipeline's, else the next one's"
) {
    auto d = make_pipeline();
    CHECK(d.event_secret(d.environments[0]) == "credentials");
    d.environments[0].secret = "dev-events";
    CHECK(d.event_secret(d.environments[0]) == "dev-events");
    CHECK(d.event_secret(d.environments[1]) == "credentials");
    d.environments[2].promotion = d.promotion;
    d.environments[2].promotion->strategy.secret = "prod-credentials";
    d.promotion.reset();
    CHECK(d.event_secret(d.environments[1]) == "prod-credentials");
    CHECK(d.event_secret(d.environments[2]) == std::nullopt);
}

TEST_CASE(
    "who may approve into an environment holds its own key, else that of the strategy leading there"
) {
    auto d = make_pipeline();
    CHECK(d.approval_secret(d.environments[1]) == "credentials");
    d.environments[2].promotion = d.promotion;
    d.environments[2].promotion->strategy.secret = "prod-credentials";
    CHECK(d.approval_secret(d.environments[1]) == "credentials");
    CHECK(d.approval_secret(d.environments[2]) == "prod-credentials");
    d.promotion.reset();
    CHECK(d.approval_secret(d.environments[1]) == std::nullopt);
    CHECK(d.approval_secret(d.environments[2]) == "prod-credentials");
    d.environments[2].secret = "prod-events";
    CHECK(d.approval_secret(d.environments[2]) == "prod-events");
}

TEST_CASE("a promotion block without a key of its own leaves approvals to the pipeline's") {
    auto d = make_pipeline();
    d.environments[2].promotion = d.promotion;
    d.environments[2].promotion->strategy.secret.reset();
    CHECK(d.approval_secret(d.environments[2]) == "credentials");
}
