#include "tests/unit/server/handlers_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;
using pipeline::promotion_state;

namespace {

constexpr const char* id = "default/podinfo/prod@6.1.8";

std::string act_path(const char* verb) {
    return std::string{"/api/v1/promotions/default%2Fpodinfo%2Fprod%406.1.8/"} + verb;
}

std::string detail_of(const wire_answer& answer) {
    return nlohmann::json::parse(answer.body).value("detail", "");
}

} // namespace

TEST_CASE("the operator approves, and the history tells who and why") {
    handlers_fixture f;
    f.offer("6.1.8");
    const auto answer = f.post(act_path("approve"), R"({"reason":"release day"})");
    REQUIRE(answer.status == 200);
    const auto told = nlohmann::json::parse(answer.body);
    CHECK(told["promotion"] == id);
    CHECK(told["decision"] == "promote");
    CHECK(f.promotion(id).state == promotion_state::pending);
    const auto history = get(f.ledger->show(id))->history;
    CHECK(history.back().actor == "control");
    CHECK_THAT(history.back().message, Contains("release day"));
}

TEST_CASE("a rejected promotion can be opened again by retry, as a new attempt") {
    handlers_fixture f;
    f.offer("6.1.8");
    REQUIRE(f.post(act_path("reject"), R"({"reason":"not today"})").status == 200);
    CHECK(f.promotion(id).state == promotion_state::rejected);
    const auto answer = f.post(act_path("retry"));
    REQUIRE(answer.status == 200);
    CHECK(nlohmann::json::parse(answer.body)["promotion"] == "default/podinfo/prod@6.1.8#2");
}

TEST_CASE("an act that the state does not allow is a conflict that changes nothing") {
    handlers_fixture f;
    f.offer("6.1.8");
    REQUIRE(f.post(act_path("cancel")).status == 200);
    for (const char* verb : {"approve", "reject"}) {
        CAPTURE(verb);
        CHECK(f.post(act_path(verb)).status == 409);
    }
    CHECK(f.promotion(id).state == promotion_state::cancelled);
}

TEST_CASE("an act on a promotion that is not there is 404, a body that cannot be read 400") {
    handlers_fixture f;
    CHECK(f.post(act_path("approve")).status == 404);
    f.offer("6.1.8");
    for (const char* body : {"[]", "{", R"({"reason":7})", R"({"because":"x"})"}) {
        CAPTURE(body);
        CHECK(f.post(act_path("approve"), body).status == 400);
    }
    CHECK(f.promotion(id).state == promotion_state::awaiting_approval);
}

TEST_CASE("a promotion whose Pipeline is gone can be cancelled, not approved") {
    handlers_fixture f;
    f.offer("6.1.8");
    std::filesystem::remove(f.folder / "pipelines/podinfo.yaml");
    f.pipelines->read_again();
    const auto until = std::chrono::steady_clock::now() + 20s;
    while (f.pipelines->find("default", "podinfo") && std::chrono::steady_clock::now() < until)
        std::this_thread::sleep_for(2ms);
    const auto refused = f.post(act_path("approve"));
    CHECK(refused.status == 404);
    CHECK_THAT(detail_of(refused), Contains("default/podinfo"));
    CHECK(f.post(act_path("cancel")).status == 200);
}

TEST_CASE("a person promotes a revision, which still waits where approvals are asked for") {
    handlers_fixture f;
    const auto answer = f.post(
        "/api/v1/promotions",
        R"({"namespace":"default","pipeline":"podinfo","environment":"prod","revision":"6.1.8",)"
        R"("tag":"6.1.8","reason":"hotfix"})"
    );
    REQUIRE(answer.status == 200);
    const auto told = nlohmann::json::parse(answer.body);
    CHECK(told["decision"] == "await_approval");
    CHECK(told["promotion"] == id);
    CHECK(f.promotion(id).facts.tag == "6.1.8");
}

TEST_CASE("a dry run answers what the executor foresees and records nothing") {
    const server::acts_api::foresee foresee =
        [](pipeline::definition_ptr, std::string environment, pipeline::revision_facts facts
        ) -> boost::asio::awaitable<result<promotion::preview>> {
        promotion::preview p;
        p.title = "Promote " + facts.revision + " to " + environment;
        p.diff = "-1\n+2\n";
        p.remarks = {"a.yaml:3: a marker that marks nothing"};
        co_return p;
    };
    handlers_fixture f{handlers_fixture::quick(), foresee};
    const auto answer = f.post(
        "/api/v1/promotions",
        R"({"namespace":"default","pipeline":"podinfo","environment":"prod","revision":"6.1.8","dryRun":true})"
    );
    REQUIRE(answer.status == 200);
    const auto told = nlohmann::json::parse(answer.body);
    CHECK(told["title"] == "Promote 6.1.8 to prod");
    CHECK(told["diff"] == "-1\n+2\n");
    CHECK(told["remarks"].size() == 1);
    CHECK(get(f.ledger->list({}))->empty());
}

TEST_CASE("a repository that cannot be reached in a dry run is 503, one that cannot work 422") {
    const auto code = GENERATE(errc::timed_out, errc::unauthenticated);
    const server::acts_api::foresee foresee =
        [code](
            pipeline::definition_ptr, std::string, pipeline::revision_facts
        ) -> boost::asio::awaitable<result<promotion::preview>> {
        co_return error{code, "the server of the repository"};
    };
    handlers_fixture f{handlers_fixture::quick(), foresee};
    const auto answer = f.post(
        "/api/v1/promotions",
        R"({"namespace":"default","pipeline":"podinfo","environment":"prod","revision":"1","dryRun":true})"
    );
    CHECK(answer.status == (code == errc::timed_out ? 503 : 422));
    CHECK_THAT(detail_of(answer), Contains("the server of the repository"));
}

TEST_CASE("a request to promote names every field that is missing or unknown") {
    using server::read_promote_request;
    const auto refused = [](std::string_view body) {
        const auto r = read_promote_request(body);
        REQUIRE_FALSE(r.has_value());
        CHECK(r.error().code == errc::invalid_argument);
        return r.error().message;
    };
    CHECK_THAT(
        refused(R"({"namespace":"a","pipeline":"b","environment":"c"})"), Contains("revision")
    );
    CHECK_THAT(
        refused(R"({"namespace":"a","pipeline":"b","environment":"c","revision":"1","force":true})"
        ),
        Contains("force")
    );
    CHECK_THAT(
        refused(
            R"({"namespace":"a","pipeline":"b","environment":"c","revision":"1","dryRun":"yes"})"
        ),
        Contains("dryRun")
    );
    CHECK_THAT(
        refused(R"({"namespace":"a","pipeline":"b","environment":"c","revision":1})"),
        Contains("revision")
    );
}
