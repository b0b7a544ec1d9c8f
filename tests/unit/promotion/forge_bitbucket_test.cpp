#include "tests/unit/promotion/forge_fixture.hpp"

namespace sluice::tests {
namespace {

const std::string pulls = "/bitbucket/rest/api/1.0/projects/ORG/repos/fleet/pull-requests";

struct bitbucket_fixture : forge_fixture {
    bitbucket_fixture()
        : forge_fixture(
              pipeline::forge::bitbucket_server, "bitbucket-server", "/bitbucket/scm/ORG/fleet.git"
          ) {}

    [[nodiscard]] result<forge::auto_merge> merge(merge_method how = merge_method::merge) {
        return run(api->merge_when_ready(open_view(12), how));
    }
};

json reference(const std::string& name, int repository = 3) {
    return {
        {"id", "refs/heads/" + name},
        {"latestCommit", head_commit},
        {"repository", {{"id", repository}, {"slug", "fleet"}}}
    };
}

json pull(int number, const std::string& state = "OPEN", int version = 4) {
    return {
        {"id", number},
        {"version", version},
        {"state", state},
        {"title", "Promote default/podinfo in prod to 6.1.8"},
        {"description", "why"},
        {"fromRef", reference(branch)},
        {"toRef", reference("main")},
        {"reviewers", json::array({{{"user", {{"name", "carol"}}}}})},
        {"links",
         {{"self",
           json::array({{{"href", "https://bitbucket.example/p/" + std::to_string(number)}}})}}},
    };
}

json refusal(const std::string& exception, const std::string& message = "no") {
    const json error{
        {"message", message}, {"exceptionName", "com.atlassian.bitbucket.pull." + exception}
    };
    return {{"errors", json::array({error})}};
}

json page(const json& values, bool last, int next = 0) {
    json p{{"values", values}, {"isLastPage", last}, {"nextPageStart", nullptr}};
    if (!last) p["nextPageStart"] = next;
    return p;
}

} // namespace

TEST_CASE_METHOD(bitbucket_fixture, "Bitbucket: a pull request is created below the context path") {
    impostor.on("POST " + pulls, {plays(201, pull(12))});
    const auto made = create(true);
    REQUIRE(made);
    CHECK(made->is.number == 12);
    CHECK(made->is.url == "https://bitbucket.example/p/12");
    CHECK(made->handle == "4");
    const auto asked = impostor.request("POST " + pulls);
    CHECK(asked.header("authorization") == "Bearer " + api_token);
    CHECK(asked.header("x-atlassian-token") == "no-check");
    CHECK(asked.body.at("draft") == true);
    const json repository{{"slug", "fleet"}, {"project", {{"key", "ORG"}}}};
    CHECK(
        asked.body.at("fromRef") == json{{"id", "refs/heads/" + branch}, {"repository", repository}}
    );
    CHECK(asked.body.at("toRef") == json{{"id", "refs/heads/main"}, {"repository", repository}});
}

TEST_CASE_METHOD(
    bitbucket_fixture, "Bitbucket: the open one is found by both branches, over all pages"
) {
    auto other = pull(3);
    other["toRef"] = reference("develop");
    auto fork = pull(4);
    fork["fromRef"] = reference(branch, 9);
    impostor.on(
        "GET " + pulls,
        {plays(200, page(json::array({other, fork}), false, 2)),
         plays(200, page(json::array({pull(12)}), true))}
    );
    const auto found = find();
    REQUIRE(found);
    REQUIRE(found->has_value());
    CHECK((*found)->is.number == 12);
    CHECK(says(impostor.requests()[0].target, "state=OPEN&direction=OUTGOING"));
    CHECK(says(impostor.requests()[0].target, "at=refs%2Fheads%2F" + branch));
    CHECK(says(impostor.requests()[1].target, "start=2"));
}

TEST_CASE_METHOD(bitbucket_fixture, "Bitbucket: a page that names no next one ends the search") {
    impostor.on("GET " + pulls, {plays(200, page(json::array(), false, 0))});
    CHECK_FALSE(find().value().has_value());
    CHECK(impostor.requests().size() == 1);
}

TEST_CASE_METHOD(
    bitbucket_fixture, "Bitbucket: the pull request another replica just created is taken for ours"
) {
    impostor.on("POST " + pulls, {plays(409, refusal("DuplicatePullRequestException"))});
    impostor.on("GET " + pulls, {plays(200, page(json::array({pull(12)}), true))});
    CHECK(create().value().is.number == 12);
}

TEST_CASE_METHOD(bitbucket_fixture, "Bitbucket: an empty pull request is a conflict") {
    impostor.on(
        "POST " + pulls, {plays(409, refusal("EmptyPullRequestException", "already up-to-date"))}
    );
    const auto made = create();
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::conflict);
    CHECK(says(made.error().message, "already up-to-date"));
}

TEST_CASE_METHOD(
    bitbucket_fixture, "Bitbucket: rewriting keeps the reviewers and survives one change by another"
) {
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12)), plays(200, pull(12, "OPEN", 5))});
    impostor.on(
        "PUT " + pulls + "/12",
        {plays(409, refusal("PullRequestOutOfDateException")), plays(200, pull(12, "OPEN", 6))}
    );
    const auto updated = run(api->update(open_view(12), "newer", "body"));
    REQUIRE(updated);
    CHECK(updated->handle == "6");
    const auto asked = impostor.requests("PUT " + pulls + "/12");
    REQUIRE(asked.size() == 2);
    CHECK(asked[0].body.at("version") == 4);
    const json carol{{"user", {{"name", "carol"}}}};
    CHECK(
        asked[1].body ==
        json{
            {"id", 12},
            {"version", 5},
            {"title", "newer"},
            {"description", "body"},
            {"reviewers", json::array({carol})}
        }
    );
}

TEST_CASE_METHOD(
    bitbucket_fixture, "Bitbucket: what changes again and again is given up, not fought over"
) {
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12))});
    impostor.on("PUT " + pulls + "/12", {plays(409, refusal("PullRequestOutOfDateException"))});
    CHECK(run(api->update(open_view(12), "newer", "body")).error().code == errc::conflict);
    CHECK(impostor.requests("PUT " + pulls + "/12").size() == 2);
}

TEST_CASE_METHOD(bitbucket_fixture, "Bitbucket: closing declines the version it saw and says why") {
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12)), plays(200, pull(12, "OPEN", 5))});
    impostor.on(
        "POST " + pulls + "/12/decline",
        {plays(409, refusal("PullRequestOutOfDateException")), plays(200, pull(12, "DECLINED"))}
    );
    impostor.on("POST " + pulls + "/12/comments", {plays(201, {{"id", 1}})});
    REQUIRE(run(api->close(open_view(12), "6.2.0 took its place")));
    CHECK(says(impostor.requests("POST " + pulls + "/12/decline")[1].target, "?version=5"));
    CHECK(
        impostor.request("POST " + pulls + "/12/comments").body ==
        json{{"text", "6.2.0 took its place"}}
    );
}

TEST_CASE_METHOD(bitbucket_fixture, "Bitbucket: closing what is closed is success") {
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12, "DECLINED"))});
    CHECK(run(api->close(open_view(12), "")));
}

TEST_CASE_METHOD(
    bitbucket_fixture, "Bitbucket: labels do not exist there, nor does every reviewer"
) {
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12))});
    // What the refusal is called, and whether it is a 400 or a 409, is not known for sure.
    const auto unknown = GENERATE(
        plays(409, refusal("InvalidPullRequestReviewersException")),
        plays(400, refusal("ArgumentValidationException"))
    );
    impostor.on("PUT " + pulls + "/12", {plays(200, pull(12)), unknown});
    const auto ignored = run(api->decorate(open_view(12), {"promotion"}, {"alice", "nobody"}));
    REQUIRE(ignored);
    CHECK(*ignored == std::vector<std::string>{"promotion", "nobody"});
    const auto asked = impostor.requests("PUT " + pulls + "/12");
    REQUIRE(asked.size() == 2);
    CHECK(asked[0].body.at("title") == "Promote default/podinfo in prod to 6.1.8");
    CHECK(asked[0].body.at("reviewers").size() == 2);
}

TEST_CASE_METHOD(
    bitbucket_fixture, "Bitbucket: merged when it can be, at the version and head we saw"
) {
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12))});
    impostor.on(
        "GET " + pulls + "/12/merge",
        {plays(200, {{"canMerge", false}, {"conflicted", false}}), plays(200, {{"canMerge", true}})}
    );
    impostor.on("POST " + pulls + "/12/merge", {plays(200, pull(12, "MERGED"))});
    CHECK(merge().value() == forge::auto_merge::not_yet);
    CHECK(merge(merge_method::squash).value() == forge::auto_merge::merged);
    const auto asked = impostor.request("POST " + pulls + "/12/merge");
    CHECK(says(asked.target, "?version=4"));
    CHECK(asked.body == json{{"strategyId", "squash"}});
}

TEST_CASE_METHOD(
    bitbucket_fixture,
    "Bitbucket: a stale version is read again once, a veto waits, a moved head is never merged"
) {
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12)), plays(200, pull(12, "OPEN", 5))});
    impostor.on("GET " + pulls + "/12/merge", {plays(200, {{"canMerge", true}})});
    impostor.on(
        "POST " + pulls + "/12/merge",
        {plays(409, refusal("PullRequestOutOfDateException")), plays(200, pull(12, "MERGED"))}
    );
    CHECK(merge().value() == forge::auto_merge::merged);
    impostor.on(
        "POST " + pulls + "/12/merge", {plays(409, refusal("PullRequestMergeVetoedException"))}
    );
    CHECK(merge().value() == forge::auto_merge::not_yet);
    auto moved = pull(12);
    moved["fromRef"]["latestCommit"] = "beef";
    impostor.on("GET " + pulls + "/12", {plays(200, moved)});
    CHECK(merge().error().code == errc::conflict);
}

TEST_CASE_METHOD(
    bitbucket_fixture, "Bitbucket: one merged by somebody else is merged, and nothing is ever armed"
) {
    auto merged = pull(12, "MERGED");
    merged["properties"] = {{"mergeCommit", {{"id", "aaaa"}}}};
    impostor.on("GET " + pulls + "/12", {plays(200, merged)});
    CHECK(merge().value() == forge::auto_merge::merged);
    CHECK(run(api->get(12)).value().merge_commit == "aaaa");
    CHECK(run(api->disarm(open_view(12))));
}

} // namespace sluice::tests
