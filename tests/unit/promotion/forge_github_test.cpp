#include "tests/unit/promotion/forge_fixture.hpp"

// As the answers of api.github.com were recorded (facts of the API: docs/forges.md).
namespace sluice::tests {
namespace {

const std::string pulls = "/api/v3/repos/org/fleet/pulls";
const std::string issues = "/api/v3/repos/org/fleet/issues";

struct github_fixture : forge_fixture {
    github_fixture() : forge_fixture(pipeline::forge::github, "github", "/org/fleet.git") {}
};

json pull(int number, const std::string& state = "open") {
    return {
        {"number", number},
        {"html_url", "https://github.example/org/fleet/pull/" + std::to_string(number)},
        {"node_id", "PR_kw" + std::to_string(number)},
        {"state", state},
        {"title", "Promote default/podinfo in prod to 6.1.8"},
        {"body", nullptr},
        {"draft", false},
        {"merged_at", nullptr},
        {"merge_commit_sha", "ffffffffffffffffffffffffffffffffffffffff"},
        {"auto_merge", nullptr},
        {"head", {{"ref", branch}, {"sha", head_commit}, {"repo", {{"id", 7}}}}},
        {"base", {{"ref", "main"}, {"repo", {{"id", 7}}}}},
    };
}

json validation_failed(const json& errors) {
    return {{"message", "Validation Failed"}, {"errors", errors}};
}

} // namespace

TEST_CASE_METHOD(
    github_fixture, "GitHub: a new pull request is created with what the promotion says", "[github]"
) {
    impostor.on("POST " + pulls, {plays(201, pull(12))});
    const auto made = create();
    REQUIRE(made);
    CHECK(made->is.number == 12);
    CHECK(made->is.url == "https://github.example/org/fleet/pull/12");
    CHECK(made->is.head == head_commit);
    CHECK(made->is.state == pull_request_state::open);
    CHECK(made->handle == "PR_kw12");
    CHECK(made->merge_commit.empty());
    const auto asked = impostor.request("POST " + pulls);
    CHECK(
        asked.body ==
        json{
            {"title", "Promote default/podinfo in prod to 6.1.8"},
            {"head", branch},
            {"base", "main"},
            {"body", "why, from where, and what changes"},
        }
    );
    CHECK(asked.header("authorization") == "Bearer " + api_token);
    CHECK(asked.header("accept") == "application/vnd.github+json");
    CHECK(asked.header("x-github-api-version") == "2022-11-28");
    CHECK_FALSE(asked.header("user-agent").empty());
}

TEST_CASE_METHOD(github_fixture, "GitHub: a draft is created as a draft", "[github]") {
    auto answer = pull(12);
    answer["draft"] = true;
    impostor.on("POST " + pulls, {plays(201, answer)});
    const auto made = create(true);
    REQUIRE(made);
    CHECK(made->is_draft);
    CHECK(impostor.request("POST " + pulls).body.at("draft") == true);
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: the open pull request is found by head and base, over all pages",
    "[github]"
) {
    auto fork = pull(3);
    fork["head"]["repo"]["id"] = 8;
    const auto next = "<" + impostor.url() + pulls + "?page=2>; rel=\"next\", <" + impostor.url() +
                      pulls + "?page=2>; rel=\"last\"";
    impostor.on(
        "GET " + pulls,
        {with(plays(200, json::array({fork})), "Link", next), plays(200, json::array({pull(12)}))}
    );
    const auto found = find();
    REQUIRE(found);
    REQUIRE(found->has_value());
    CHECK((*found)->is.number == 12);
    REQUIRE(impostor.requests().size() == 2);
    CHECK(says(impostor.requests()[0].target, "state=open"));
    CHECK(says(impostor.requests()[0].target, "head=org%3A" + branch + "&base=main"));
    CHECK(says(impostor.requests()[1].target, "?page=2"));
}

TEST_CASE_METHOD(github_fixture, "GitHub: no open pull request is no error", "[github]") {
    impostor.on("GET " + pulls, {plays(200, json::array())});
    const auto found = find();
    REQUIRE(found);
    CHECK_FALSE(found->has_value());
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: the pull request another replica just created is taken for ours",
    "[github]"
) {
    const json exists{
        {{"resource", "PullRequest"},
         {"code", "custom"},
         {"message", "A pull request already exists for org:" + branch + "."}}
    };
    impostor.on("POST " + pulls, {plays(422, validation_failed(exists))});
    impostor.on("GET " + pulls, {plays(200, json::array({pull(12)}))});
    const auto made = create();
    REQUIRE(made);
    CHECK(made->is.number == 12);
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: one that exists and is gone when looked for is tried again later",
    "[github]"
) {
    const json exists{{{"message", "A pull request already exists for org:x."}}};
    impostor.on("POST " + pulls, {plays(422, validation_failed(exists))});
    impostor.on("GET " + pulls, {plays(200, json::array())});
    const auto made = create();
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::unavailable);
}

TEST_CASE_METHOD(
    github_fixture, "GitHub: a branch without commits of its own is told as such", "[github]"
) {
    const json none{
        {{"resource", "PullRequest"},
         {"code", "custom"},
         {"message", "No commits between main and " + branch}}
    };
    impostor.on("POST " + pulls, {plays(422, validation_failed(none))});
    const auto made = create();
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::conflict);
    CHECK(says(made.error().message, "No commits between main and"));
}

TEST_CASE_METHOD(github_fixture, "GitHub: a missing head branch is a conflict", "[github]") {
    const json missing{{{"resource", "PullRequest"}, {"field", "head"}, {"code", "invalid"}}};
    impostor.on("POST " + pulls, {plays(422, validation_failed(missing))});
    const auto made = create();
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::conflict);
}

TEST_CASE_METHOD(
    github_fixture, "GitHub: merged and closed are told apart, with the merge commit", "[github]"
) {
    auto merged = pull(12, "closed");
    merged["merged"] = true;
    merged["merged_at"] = "2026-08-07T13:12:44Z";
    impostor.on("GET " + pulls + "/12", {plays(200, merged)});
    impostor.on("GET " + pulls + "/13", {plays(200, pull(13, "closed"))});
    const auto one = run(api->get(12));
    REQUIRE(one);
    CHECK(one->is.state == pull_request_state::merged);
    CHECK(one->merge_commit == "ffffffffffffffffffffffffffffffffffffffff");
    const auto other = run(api->get(13));
    REQUIRE(other);
    CHECK(other->is.state == pull_request_state::closed);
}

TEST_CASE_METHOD(
    github_fixture, "GitHub: looking again costs no quota while nothing changed", "[github]"
) {
    const auto first = with(plays(200, pull(12)), "ETag", "W/\"abc\"");
    impostor.on(
        "GET " + pulls + "/12",
        {first, plays(304), with(plays(200, pull(12, "closed")), "ETag", "W/\"def\"")}
    );
    REQUIRE(run(api->get(12)));
    make(); // what is kept belongs to the account
    const auto again = run(api->get(12));
    REQUIRE(again);
    CHECK(again->is.number == 12);
    const auto changed = run(api->get(12));
    REQUIRE(changed);
    CHECK(changed->is.state == pull_request_state::closed);
    CHECK(impostor.requests()[0].header("if-none-match").empty());
    CHECK(impostor.requests()[1].header("if-none-match") == "W/\"abc\"");
    CHECK(impostor.requests()[2].header("if-none-match") == "W/\"abc\"");
}

TEST_CASE_METHOD(github_fixture, "GitHub: a newer revision rewrites title and body", "[github]") {
    auto answer = pull(12);
    answer["title"] = "Promote default/podinfo in prod to 6.2.0";
    impostor.on("PATCH " + pulls + "/12", {plays(200, answer)});
    const auto updated =
        run(api->update(open_view(12), "Promote default/podinfo in prod to 6.2.0", "newer"));
    REQUIRE(updated);
    CHECK(updated->title == "Promote default/podinfo in prod to 6.2.0");
    CHECK(
        impostor.request("PATCH " + pulls + "/12").body ==
        json{{"title", "Promote default/podinfo in prod to 6.2.0"}, {"body", "newer"}}
    );
}

TEST_CASE_METHOD(github_fixture, "GitHub: closing says why", "[github]") {
    impostor.on("PATCH " + pulls + "/12", {plays(200, pull(12, "closed"))});
    impostor.on("POST " + issues + "/12/comments", {plays(201, {{"id", 1}})});
    REQUIRE(run(api->close(open_view(12), "6.2.0 took its place")));
    CHECK(impostor.requests()[0].body == json{{"state", "closed"}});
    CHECK(impostor.requests()[1].body == json{{"body", "6.2.0 took its place"}});
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: a reviewer who may not review does not cost the others theirs",
    "[github]"
) {
    const json refused{{"message", "Reviews may only be requested from collaborators."}};
    impostor.on("POST " + issues + "/12/labels", {plays(200, json::array())});
    impostor.on(
        "POST " + pulls + "/12/requested_reviewers",
        {plays(422, refused), plays(201, pull(12)), plays(422, refused), plays(201, pull(12))}
    );
    const auto ignored =
        run(api->decorate(open_view(12), {"promotion", "prod"}, {"alice", "nobody", "team:release"})
        );
    REQUIRE(ignored);
    CHECK(*ignored == std::vector<std::string>{"nobody"});
    CHECK(
        impostor.request("POST " + issues + "/12/labels").body ==
        json{{"labels", {"promotion", "prod"}}}
    );
    const auto asked = impostor.requests("POST " + pulls + "/12/requested_reviewers");
    REQUIRE(asked.size() == 4);
    CHECK(
        asked[0].body == json{{"reviewers", {"alice", "nobody"}}, {"team_reviewers", {"release"}}}
    );
    CHECK(asked[3].body == json{{"reviewers", json::array()}, {"team_reviewers", {"release"}}});
}

} // namespace sluice::tests
