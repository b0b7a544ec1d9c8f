#include "base/rfc3339.hpp"
#include "home/promotion_json.hpp"
#include "tests/support/catch.hpp"

using namespace sluice;

namespace {

pipeline::promotion example() {
    pipeline::promotion p;
    p.id = {{"default", "podinfo"}, "prod", "6.1.8", pipeline::promotion_kind::promotion, 2};
    p.facts.revision = "6.1.8+4f1b2c3d4e5f";
    p.facts.digest = "sha256:4f1b";
    p.state = pipeline::promotion_state::awaiting_approval;
    p.reason = "Manual";
    p.message = "waits for an approver";
    p.from_environment = "dev";
    p.first_evidence = *parse_rfc3339("2026-08-07T13:12:40Z");
    p.created_at = *parse_rfc3339("2026-08-07T13:12:44Z");
    p.updated_at = *parse_rfc3339("2026-08-07T13:12:45.5Z");
    return p;
}

} // namespace

TEST_CASE("a list of promotions has exactly the documented shape") {
    CHECK(
        home::to_json(std::vector{example()}).dump() ==
        R"({"items":[{"id":"default/podinfo/prod@6.1.8#2","namespace":"default","pipeline":"podinfo",)"
        R"("environment":"prod","revision":"6.1.8","kind":"promotion","attempt":2,"state":"AwaitingApproval",)"
        R"("reason":"Manual","message":"waits for an approver","retryAt":null,"createdAt":"2026-08-07T13:12:44Z",)"
        R"("updatedAt":"2026-08-07T13:12:45.500Z","pullRequest":null}]})"
    );
    CHECK(home::to_json(std::vector<pipeline::promotion>{}).dump() == R"({"items":[]})");
}

TEST_CASE("a promotion that will be tried again says when") {
    auto p = example();
    p.retry_at = parse_rfc3339("2026-08-07T14:00:00Z");
    CHECK(home::to_json(p).at("retryAt") == "2026-08-07T14:00:00Z");
}

TEST_CASE("a promotion with a pull request names it, and its details what was written where") {
    home::promotion_details d;
    d.promotion = example();
    d.promotion.url = "https://ci.example.org/runs/1";
    auto& work = d.promotion.work;
    work.repository = "https://git.example.org/org/fleet";
    work.branch = "promotion-default-podinfo-prod";
    work.commit = "c0ffee";
    work.base_commit = "ba5e";
    work.replaced = "6.1.7";
    work.pull_request = pipeline::pull_request{
        "https://git.example.org/org/fleet/pulls/7",
        7,
        pipeline::pull_request_state::merged,
        "c0ffee"
    };
    const auto json = home::to_json(d);
    CHECK(
        json.at("pullRequest").dump() ==
        R"({"url":"https://git.example.org/org/fleet/pulls/7","number":7,"state":"merged"})"
    );
    CHECK(
        json.at("work").dump() ==
        R"({"branch":"promotion-default-podinfo-prod","commit":"c0ffee","baseCommit":"ba5e",)"
        R"("repository":"https://git.example.org/org/fleet","replaced":"6.1.7"})"
    );
    CHECK(json.at("url") == "https://ci.example.org/runs/1");
    CHECK_FALSE(home::to_json(d.promotion).contains("work"));
}

TEST_CASE("the details of a promotion add where it comes from, its facts and its history") {
    home::promotion_details d;
    d.promotion = example();
    d.history.push_back(
        {*parse_rfc3339("2026-08-07T13:12:44Z"),
         "AwaitingApproval",
         "Manual",
         "proven in dev",
         "flux"}
    );
    const auto json = home::to_json(d);
    CHECK(json.at("id") == "default/podinfo/prod@6.1.8#2");
    CHECK(json.at("from") == "dev");
    CHECK(json.at("firstEvidence") == "2026-08-07T13:12:40Z");
    CHECK(json.at("facts").dump() == R"({"revision":"6.1.8+4f1b2c3d4e5f","digest":"sha256:4f1b"})");
    CHECK(
        json.at("history").dump() ==
        R"([{"at":"2026-08-07T13:12:44Z","state":"AwaitingApproval","reason":"Manual",)"
        R"("message":"proven in dev","actor":"flux"}])"
    );
}
