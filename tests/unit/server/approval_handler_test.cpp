#include "tests/support/eventually.hpp"
#include "tests/unit/server/handlers_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* path = "/approval/default/podinfo/prod/6.1.8";
constexpr const char* id = "default/podinfo/prod@6.1.8";

std::string problem_detail(const wire_answer& answer) {
    return nlohmann::json::parse(answer.body).value("detail", "");
}

} // namespace

TEST_CASE("an approval lets the promotion go on and is answered with its pull request") {
    server::approval_options patient;
    patient.wait = 20s;
    handlers_fixture f{patient};
    f.offer("6.1.8");
    wire_client client{f.url};
    const auto headers = f.signed_with("prod approves", auth::scheme::bound, path);
    REQUIRE(client.send(tests::post(path, {}, headers)));
    REQUIRE(eventually([&] { return f.promotion(id).state == pipeline::promotion_state::pending; })
    );
    f.open_pull_request(id, "https://git.example.org/team/fleet/pulls/7");
    const auto told = client.answer(20s);
    REQUIRE(told.has_value());
    const auto& answer = *told;
    CHECK(answer.status == 201);
    CHECK(answer.body.empty());
    CHECK(answer.headers.at("location") == "https://git.example.org/team/fleet/pulls/7");

    const auto again = f.approve(path);
    CHECK(again.status == 201);
    CHECK(again.headers.at("location") == answer.headers.at("location"));
}

TEST_CASE("an approval whose pull request takes longer is answered with the promotion") {
    handlers_fixture f;
    f.offer("6.1.8");
    const auto answer = f.approve(path);
    CHECK(answer.status == 202);
    CHECK(answer.headers.at("location") == "/api/v1/promotions/default%2Fpodinfo%2Fprod%406.1.8");
    const auto told = nlohmann::json::parse(answer.body);
    CHECK(told["promotion"] == id);
    CHECK(told["state"] == "Pending");
    CHECK(f.promotion(id).state == pipeline::promotion_state::pending);
}

TEST_CASE("only the approval key of the target environment approves") {
    handlers_fixture f;
    f.offer("6.1.8");
    for (const char* key :
         {"prod speaks", "dev speaks", "pipeline approves", "the forge tells", "guess"}) {
        CAPTURE(key);
        CHECK(f.approve(path, key).status == 401);
    }
    CHECK(f.promotion(id).state == pipeline::promotion_state::awaiting_approval);
}

TEST_CASE(
    "a pipeline whose promotion block stands in its environment is approved with that block's key"
) {
    handlers_fixture f;
    f.folder.write("secrets/default/orders-keys/hmac-key", "orders speak");
    f.folder.write("secrets/default/orders-keys/approval-key", "orders approve");
    f.folder.write(
        "pipelines/orders.yaml",
        "apiVersion: pipelines.weave.works/v1alpha1\n"
        "kind: Pipeline\n"
        "metadata: {name: orders, namespace: default}\n"
        "spec:\n"
        "  appRef: {kind: HelmRelease, apiVersion: helm.toolkit.fluxcd.io/v2, name: orders}\n"
        "  environments:\n"
        "  - {name: dev, targets: [{namespace: dev}]}\n"
        "  - name: prod\n"
        "    targets: [{namespace: prod}]\n"
        "    promotion:\n"
        "      manual: true\n"
        "      strategy: {secretRef: {name: orders-keys}, notification: {}}\n"
    );
    REQUIRE(eventually([&] { return f.pipelines->find("default", "orders") != nullptr; }));
    const auto body =
        fmt::format(R"({{"revision":"1.0.0","timestamp":"{}"}})", format_rfc3339(f.clock.now()));
    const auto event = f.signed_with("orders speak", auth::scheme::flux, "", body);
    REQUIRE(f.post("/default/orders/dev", body, event).status == 202);
    CHECK(f.approve("/approval/default/orders/prod/1.0.0", "orders approve").status == 202);
}

TEST_CASE("an approval signed for another path, too long ago or not at all is refused") {
    handlers_fixture f;
    f.offer("6.1.8");
    const auto elsewhere =
        f.signed_with("prod approves", auth::scheme::bound, "/approval/default/podinfo/prod/6.1.9");
    CHECK(f.post(path, "", elsewhere).status == 401);
    const auto old = f.signed_with("prod approves", auth::scheme::bound, path);
    f.clock.advance(6min);
    CHECK(f.post(path, "", old).status == 401);
    CHECK(f.post(path).status == 401);
    CHECK(f.promotion(id).state == pipeline::promotion_state::awaiting_approval);
}

TEST_CASE("Weave's constant signature approves only the pipelines the operator named") {
    server::approval_options o = handlers_fixture::quick();
    const bool allowed = GENERATE(false, true);
    if (allowed) o.weave_approvals.insert("default/podinfo");
    handlers_fixture f{o};
    f.offer("6.1.8");
    const auto constant = f.signed_with("prod speaks", auth::scheme::flux, "");
    CHECK(f.post(path, "", constant).status == (allowed ? 202 : 401));
}

TEST_CASE("where Weave's way is allowed, a signed event still approves nothing") {
    server::approval_options o = handlers_fixture::quick();
    o.weave_approvals.insert("default/podinfo");
    handlers_fixture f{o};
    f.offer("6.1.8");
    const std::string body = "an event of prod";
    CHECK(
        f.post(path, body, f.signed_with("prod speaks", auth::scheme::flux, "", body)).status == 401
    );
}

TEST_CASE("approving what does not wait says what does") {
    handlers_fixture f;
    const std::string other = "/approval/default/podinfo/prod/6.1.7";
    CHECK(f.approve(other).status == 422);
    f.offer("6.1.8");
    const auto answer = f.approve(other);
    CHECK(answer.status == 422);
    CHECK_THAT(problem_detail(answer), Contains("6.1.7") && Contains("6.1.8"));
}

TEST_CASE("approving a superseded promotion is a conflict that names the newer one") {
    handlers_fixture f;
    f.offer("6.1.8");
    f.offer("6.1.9");
    const auto answer = f.approve(path);
    CHECK(answer.status == 409);
    CHECK_THAT(problem_detail(answer), Contains("6.1.9"));
    CHECK(f.approve("/approval/default/podinfo/prod/6.1.9").status == 202);
}

TEST_CASE("an unknown environment is told to who holds the pipeline's key, and to nobody else") {
    handlers_fixture f;
    const std::string nowhere = "/approval/default/podinfo/qa/6.1.8";
    CHECK(f.approve(nowhere, "pipeline approves").status == 422);
    CHECK(f.approve(nowhere, "prod approves").status == 401);
    CHECK(f.approve("/approval/default/unknown/prod/6.1.8").status == 401);
}

TEST_CASE("every refusal at the door takes the same time and says the same") {
    handlers_fixture f;
    std::optional<std::string> first;
    for (const char* where :
         {path,
          "/approval/default/unknown/prod/6.1.8",
          "/forge/default/podinfo",
          "/forge/default/unknown",
          "/default/podinfo/dev",
          "/default/unknown/dev"}) {
        CAPTURE(where);
        const auto begin = std::chrono::steady_clock::now();
        const auto answer =
            f.post(where, "x", f.signed_with("guess", auth::scheme::github, "", "x"));
        const auto took = std::chrono::steady_clock::now() - begin;
        CHECK(answer.status == 401);
        CHECK(took >= handlers_fixture::refusal_delay);
        auto body = nlohmann::json::parse(answer.body);
        body.erase("requestId");
        if (!first) first = body.dump();
        CHECK(body.dump() == *first);
    }
}

TEST_CASE("a rotated approval key is found although nobody told that it changed") {
    handlers_fixture f;
    f.offer("6.1.8");
    f.folder.replace("secrets/default/prod-events/approval-key-2", "the next key");
    CHECK(f.approve(path, "the next key").status == 202);
}
