#include "tests/unit/promotion/forge_fixture.hpp"

namespace sluice::tests {
namespace {

const std::string requests = "/api/v4/projects/org%2Fteam%2Ffleet/merge_requests";

struct gitlab_fixture : forge_fixture {
    gitlab_fixture() : forge_fixture(pipeline::forge::gitlab, "gitlab", "/org/team/fleet.git") {}

    [[nodiscard]] result<forge::auto_merge> merge(merge_method how = merge_method::merge) {
        return run(api->merge_when_ready(open_view(12), how));
    }
};

json merge_request(int number, const std::string& state = "opened") {
    return {
        {"iid", number},
        {"id", 90'000 + number},
        {"web_url",
         "https://gitlab.example/org/team/fleet/-/merge_requests/" + std::to_string(number)},
        {"state", state},
        {"sha", head_commit},
        {"title", "Promote default/podinfo in prod to 6.1.8"},
        {"description", "why"},
        {"source_branch", branch},
        {"target_branch", "main"},
        {"source_project_id", 5},
        {"target_project_id", 5},
        {"merge_when_pipeline_succeeds", false},
        {"merge_commit_sha", nullptr},
        {"detailed_merge_status", "mergeable"},
        {"head_pipeline", nullptr},
        {"reviewers", json::array()},
    };
}

json armed_request() {
    auto armed = merge_request(12);
    armed["merge_when_pipeline_succeeds"] = true;
    return armed;
}

} // namespace

TEST_CASE_METHOD(
    gitlab_fixture, "GitLab: a merge request is created in the project of nested groups"
) {
    impostor.on("POST " + requests, {plays(201, merge_request(12))});
    const auto made = create();
    REQUIRE(made);
    CHECK(made->is.number == 12);
    CHECK(made->is.head == head_commit);
    const auto asked = impostor.request("POST " + requests);
    CHECK(
        asked.body ==
        json{
            {"source_branch", branch},
            {"target_branch", "main"},
            {"title", "Promote default/podinfo in prod to 6.1.8"},
            {"description", "why, from where, and what changes"},
        }
    );
    CHECK(asked.header("authorization") == "Bearer " + api_token);
}

TEST_CASE_METHOD(
    gitlab_fixture, "GitLab: a draft says so in its title and keeps saying so when it is rewritten"
) {
    auto drafted = merge_request(12);
    drafted["title"] = "Draft: Promote default/podinfo in prod to 6.1.8";
    impostor.on("POST " + requests, {plays(201, drafted)});
    impostor.on("PUT " + requests + "/12", {plays(200, drafted)});
    const auto made = create(true);
    REQUIRE(made);
    CHECK(made->is_draft);
    CHECK(made->title == "Promote default/podinfo in prod to 6.1.8");
    CHECK(
        impostor.request("POST " + requests).body.at("title") ==
        "Draft: Promote default/podinfo in prod to 6.1.8"
    );
    REQUIRE(run(api->update(*made, "newer", "body")));
    CHECK(
        impostor.request("PUT " + requests + "/12").body ==
        json{{"title", "Draft: newer"}, {"description", "body"}}
    );
}

TEST_CASE_METHOD(
    gitlab_fixture, "GitLab: the open one is found by both branches, not a fork's, over all pages"
) {
    auto fork = merge_request(3);
    fork["source_project_id"] = 6;
    const auto next = "<" + impostor.url() + requests + "?page=2>; rel=\"next\"";
    impostor.on(
        "GET " + requests,
        {with(plays(200, json::array({fork})), "Link", next),
         plays(200, json::array({merge_request(12)}))}
    );
    const auto found = find();
    REQUIRE(found);
    REQUIRE(found->has_value());
    CHECK((*found)->is.number == 12);
    CHECK(says(impostor.requests()[0].target, "state=opened"));
    CHECK(says(impostor.requests()[0].target, "source_branch=" + branch + "&target_branch=main"));
}

TEST_CASE_METHOD(
    gitlab_fixture, "GitLab: a duplicate is found by the number in the refusal, else by looking"
) {
    const json exists{
        {"message", {"Another open merge request already exists for this source branch: !12"}}
    };
    impostor.on(
        "POST " + requests, {plays(409, exists), plays(409, {{"message", {"already exists"}}})}
    );
    impostor.on("GET " + requests + "/12", {plays(200, merge_request(12))});
    impostor.on("GET " + requests, {plays(200, json::array({merge_request(13)}))});
    CHECK(create().value().is.number == 12);
    CHECK(create().value().is.number == 13);
}

TEST_CASE_METHOD(
    gitlab_fixture, "GitLab: a merge in progress is still open, a squash tells its commit"
) {
    auto merged = merge_request(12, "merged");
    merged["squash_commit_sha"] = "aaaa";
    impostor.on(
        "GET " + requests + "/12",
        {plays(200, merge_request(12, "locked")),
         plays(200, merged),
         plays(200, merge_request(12, "closed"))}
    );
    CHECK(run(api->get(12)).value().is.state == pull_request_state::open);
    const auto seen = run(api->get(12)).value();
    CHECK(seen.is.state == pull_request_state::merged);
    CHECK(seen.merge_commit == "aaaa");
    CHECK(run(api->get(12)).value().is.state == pull_request_state::closed);
}

TEST_CASE_METHOD(gitlab_fixture, "GitLab: closing says why") {
    impostor.on("PUT " + requests + "/12", {plays(200, merge_request(12, "closed"))});
    impostor.on("POST " + requests + "/12/notes", {plays(201, {{"id", 1}})});
    REQUIRE(run(api->close(open_view(12), "6.2.0 took its place")));
    CHECK(impostor.requests()[0].body == json{{"state_event", "close"}});
    CHECK(impostor.requests()[1].body == json{{"body", "6.2.0 took its place"}});
}

TEST_CASE_METHOD(
    gitlab_fixture, "GitLab: reviewers are added to those there are; unknown ones are told"
) {
    auto reviewed = merge_request(12);
    reviewed["reviewers"] = json::array({{{"id", 1}, {"username", "carol"}}});
    impostor.on("GET " + requests + "/12", {plays(200, reviewed)});
    impostor.on(
        "GET /api/v4/users", {plays(200, json::array({{{"id", 2}}})), plays(200, json::array())}
    );
    impostor.on("PUT " + requests + "/12", {plays(200, reviewed)});
    const auto ignored =
        run(api->decorate(open_view(12), {"promotion", "prod", "a,b"}, {"alice", "nobody"}));
    REQUIRE(ignored);
    CHECK(*ignored == std::vector<std::string>{"a,b", "nobody"});
    CHECK(
        impostor.request("PUT " + requests + "/12").body ==
        json{{"add_labels", "promotion,prod"}, {"reviewer_ids", {1, 2}}}
    );
    CHECK(says(impostor.requests()[1].target, "username=alice"));
}

TEST_CASE_METHOD(
    gitlab_fixture,
    "GitLab: auto-merge is asked for by its new and its old name, for the head we know"
) {
    impostor.on(
        "PUT " + requests + "/12/merge",
        {plays(200, armed_request()), plays(200, merge_request(12, "merged"))}
    );
    CHECK(merge(merge_method::squash).value() == forge::auto_merge::armed);
    CHECK(
        impostor.requests()[0].body ==
        json{
            {"sha", head_commit},
            {"squash", true},
            {"auto_merge", true},
            {"merge_when_pipeline_succeeds", true}
        }
    );
    CHECK(merge().value() == forge::auto_merge::merged);
}

TEST_CASE_METHOD(
    gitlab_fixture,
    "GitLab: without a pipeline, which some versions refuse, a mergeable one is merged at once"
) {
    const json refused{{"message", "405 Method Not Allowed"}};
    impostor.on(
        "PUT " + requests + "/12/merge",
        {plays(405, refused), plays(200, merge_request(12, "merged"))}
    );
    impostor.on("GET " + requests + "/12", {plays(200, merge_request(12))});
    CHECK(merge().value() == forge::auto_merge::merged);
    CHECK(
        impostor.requests("PUT " + requests + "/12/merge")[1].body ==
        json{{"sha", head_commit}, {"squash", false}}
    );
}

TEST_CASE_METHOD(gitlab_fixture, "GitLab: what is checked, blocked or in conflict waits") {
    const json refused{{"message", "405 Method Not Allowed"}};
    auto checking = merge_request(12);
    checking["detailed_merge_status"] = "checking";
    auto running = merge_request(12);
    running["head_pipeline"] = {{"status", "running"}};
    impostor.on("PUT " + requests + "/12/merge", {plays(405, refused)});
    impostor.on("GET " + requests + "/12", {plays(200, checking), plays(200, running)});
    CHECK(merge().value() == forge::auto_merge::not_yet);
    CHECK(merge().value() == forge::auto_merge::not_yet);
    impostor.on(
        "PUT " + requests + "/12/merge",
        {plays(422, {{"message", "Branch cannot be merged"}}),
         plays(406, {{"message", "Branch cannot be merged"}})}
    );
    CHECK(merge().value() == forge::auto_merge::not_yet);
    CHECK(merge().value() == forge::auto_merge::not_yet);
}

TEST_CASE_METHOD(
    gitlab_fixture, "GitLab: a head that moved is never merged, nor without permission"
) {
    impostor.on(
        "PUT " + requests + "/12/merge",
        {plays(409, {{"message", "SHA does not match HEAD of source branch"}}),
         plays(401, {{"message", "401 Unauthorized"}})}
    );
    CHECK(merge().error().code == errc::conflict);
    CHECK(merge().error().code == errc::unauthenticated);
}

TEST_CASE_METHOD(gitlab_fixture, "GitLab: disarming turns off what is on, and nothing else") {
    const auto cancel = "POST " + requests + "/12/cancel_merge_when_pipeline_succeeds";
    impostor.on("GET " + requests + "/12", {plays(200, merge_request(12))});
    CHECK(run(api->disarm(open_view(12))));
    CHECK(impostor.requests().size() == 1);
    impostor.on("GET " + requests + "/12", {plays(200, armed_request())});
    impostor.on(
        cancel, {plays(201, merge_request(12)), plays(405, {{"message", "405 Method Not Allowed"}})}
    );
    CHECK(run(api->disarm(open_view(12))));
    CHECK_FALSE(run(api->disarm(open_view(12)))); // refused, and still armed
    impostor.on(
        "GET " + requests + "/12", {plays(200, armed_request()), plays(200, merge_request(12))}
    );
    CHECK(run(api->disarm(open_view(12)))); // refused, because somebody was faster
}

TEST_CASE_METHOD(gitlab_fixture, "GitLab: a limit without Retry-After lasts until its reset") {
    auto refused = with(plays(429, {{"message", "Too many"}}), "RateLimit-Remaining", "0");
    impostor.on("GET " + requests, {with(refused, "RateLimit-Reset", "1790000042")});
    const auto found = find();
    REQUIRE_FALSE(found);
    CHECK(found.error().code == errc::too_many_requests);
    CHECK(found.error().retry_after == std::chrono::seconds{42});
}

} // namespace sluice::tests
