#include "tests/unit/promotion/forge_fixture.hpp"

// What a real Gitea says is tested in tests/e2e; here are the answers that are hard to get from one.
namespace sluice::tests {
namespace {

const std::string repository = "/git/api/v1/repos/org/fleet";
const std::string pulls = repository + "/pulls";
const std::string merged_ref = repository + "/git/refs/pull/12/head";

struct gitea_fixture : forge_fixture {
    gitea_fixture() : forge_fixture(pipeline::forge::gitea, "gitea", "/git/org/fleet.git") {}

    [[nodiscard]] result<forge::auto_merge> merge(merge_method how = merge_method::merge) {
        return run(api->merge_when_ready(open_view(12), how));
    }
};

json pull(int number, const std::string& state = "open", const std::string& head = branch) {
    return {
        {"number", number},
        {"html_url", "https://gitea.example/org/fleet/pulls/" + std::to_string(number)},
        {"state", state},
        {"merged", false},
        {"merge_commit_sha", nullptr},
        {"title", "Promote default/podinfo in prod to 6.1.8"},
        {"body", "why"},
        {"head", {{"ref", head}, {"sha", head_commit}, {"repo_id", 3}}},
        {"base", {{"ref", "main"}, {"repo_id", 3}}},
    };
}

} // namespace

TEST_CASE_METHOD(gitea_fixture, "Gitea: a pull request is created below the path Gitea lives at") {
    impostor.on("POST " + pulls, {plays(201, pull(12))});
    const auto made = create();
    REQUIRE(made);
    CHECK(made->is.number == 12);
    const auto asked = impostor.request("POST " + pulls);
    CHECK(asked.header("authorization") == "token " + api_token);
    CHECK(asked.body.at("head") == branch);
    CHECK(asked.body.at("base") == "main");
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: user name and password do where there is no token") {
    login.token = {};
    login.username = "bot";
    login.password = secret_string{"pass"};
    make();
    impostor.on("POST " + pulls, {plays(201, pull(12))});
    REQUIRE(create());
    CHECK(impostor.request("POST " + pulls).header("authorization") == "Basic Ym90OnBhc3M=");
}

TEST_CASE_METHOD(
    gitea_fixture, "Gitea: a draft says so in its title and keeps saying so when it is rewritten"
) {
    auto drafted = pull(12);
    drafted["title"] = "WIP: Promote default/podinfo in prod to 6.1.8";
    impostor.on("POST " + pulls, {plays(201, drafted)});
    impostor.on("PATCH " + pulls + "/12", {plays(201, drafted)});
    const auto made = create(true);
    REQUIRE(made);
    CHECK(made->title == "Promote default/podinfo in prod to 6.1.8");
    CHECK(
        impostor.request("POST " + pulls).body.at("title") ==
        "WIP: Promote default/podinfo in prod to 6.1.8"
    );
    REQUIRE(run(api->update(*made, "newer", "body")));
    CHECK(
        impostor.request("PATCH " + pulls + "/12").body ==
        json{{"title", "WIP: newer"}, {"body", "body"}}
    );
}

TEST_CASE_METHOD(
    gitea_fixture,
    "Gitea: the open one is found among all pages, whatever page size the server keeps to"
) {
    auto fork = pull(3);
    fork["head"]["repo_id"] = 4;
    impostor.on(
        "GET " + pulls,
        {plays(200, json::array({pull(1, "open", "other")})),
         plays(200, json::array({fork})),
         plays(200, json::array({pull(12)}))}
    );
    const auto found = find();
    REQUIRE(found);
    REQUIRE(found->has_value());
    CHECK((*found)->is.number == 12);
    REQUIRE(impostor.requests().size() == 3);
    CHECK(says(impostor.requests()[2].target, "state=open"));
    CHECK(says(impostor.requests()[2].target, "page=3"));
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: the list ends with its count or with an empty page") {
    impostor.on(
        "GET " + pulls,
        {with(plays(200, json::array({pull(1, "open", "other")})), "X-Total-Count", "1")}
    );
    CHECK_FALSE(find().value().has_value());
    CHECK(impostor.requests().size() == 1);
    impostor.on(
        "GET " + pulls,
        {plays(200, json::array({pull(1, "open", "other")})), plays(200, json::array())}
    );
    CHECK_FALSE(find().value().has_value());
    CHECK(impostor.requests().size() == 3);
}

TEST_CASE_METHOD(
    gitea_fixture, "Gitea: the pull request another replica just created is taken for ours"
) {
    impostor.on(
        "POST " + pulls,
        {plays(
            409, {{"message", "pull request already exists for these targets [id: 1, issue_id: 2]"}}
        )}
    );
    impostor.on("GET " + pulls, {plays(200, json::array({pull(12)}))});
    CHECK(create().value().is.number == 12);
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: an archived repository is told with the remedy") {
    impostor.on("POST " + pulls, {plays(423, {{"message", "Repo is archived"}})});
    const auto made = create();
    REQUIRE_FALSE(made);
    CHECK(made.error().code == errc::conflict);
    CHECK(says(made.error().message, "unarchive it"));
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: merged is more than closed") {
    auto merged = pull(12, "closed");
    merged["merged"] = true;
    merged["merge_commit_sha"] = "aaaa";
    impostor.on("GET " + pulls + "/12", {plays(200, merged), plays(200, pull(12, "closed"))});
    impostor.on("GET " + merged_ref, {plays(404)});
    const auto seen = run(api->get(12)).value();
    CHECK(seen.is.state == pull_request_state::merged);
    CHECK(seen.merge_commit == "aaaa");
    CHECK(run(api->get(12)).value().is.state == pull_request_state::closed);
}

TEST_CASE_METHOD(
    gitea_fixture,
    "Gitea: of a merged one the head is what was merged, not what its branch says now"
) {
    auto merged = pull(12, "closed");
    merged["merged"] = true;
    merged["head"]["sha"] = "beef";
    const json ref{{"ref", "refs/pull/12/head"}, {"object", {{"sha", head_commit}}}};
    impostor.on("GET " + pulls + "/12", {plays(200, merged)});
    impostor.on("GET " + merged_ref, {plays(200, ref), plays(200, json::array({ref})), plays(404)});
    CHECK(run(api->get(12)).value().is.head == head_commit);
    CHECK(run(api->get(12)).value().is.head == head_commit);
    CHECK(run(api->get(12)).value().is.head.empty());
}

TEST_CASE_METHOD(
    gitea_fixture,
    "Gitea: labels go by number, the repository's before the organisation's; unknown ones are told"
) {
    impostor.on(
        "GET " + repository + "/labels",
        {plays(200, json::array({{{"id", 1}, {"name", "promotion"}}})), plays(200, json::array())}
    );
    const json shared =
        json::array({{{"id", 8}, {"name", "promotion"}}, {{"id", 9}, {"name", "prod"}}});
    impostor.on(
        "GET /git/api/v1/orgs/org/labels", {with(plays(200, shared), "X-Total-Count", "2")}
    );
    impostor.on("POST " + repository + "/issues/12/labels", {plays(200, json::array())});
    impostor.on(
        "POST " + pulls + "/12/requested_reviewers",
        {plays(201, json::array()),
         plays(404, {{"message", "user does not exist"}}),
         plays(201, json::array())}
    );
    const auto ignored = run(api->decorate(
        open_view(12), {"promotion", "prod", "none"}, {"alice", "nobody", "team:release"}
    ));
    REQUIRE(ignored);
    CHECK(*ignored == std::vector<std::string>{"none", "nobody"});
    CHECK(
        impostor.request("POST " + repository + "/issues/12/labels").body ==
        json{{"labels", {1, 9}}}
    );
    const auto asked = impostor.requests("POST " + pulls + "/12/requested_reviewers");
    REQUIRE(asked.size() == 3);
    CHECK(asked[0].body.at("reviewers") == json{"alice"});
    CHECK(asked[2].body.at("team_reviewers") == json{"release"});
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: a user's repository has no organisation's labels") {
    impostor.on(
        "GET " + repository + "/labels",
        {with(plays(200, json::array({{{"id", 1}, {"name", "promotion"}}})), "X-Total-Count", "1")}
    );
    impostor.on("GET /git/api/v1/orgs/org/labels", {plays(404, {{"message", "GetOrgByName"}})});
    impostor.on("POST " + repository + "/issues/12/labels", {plays(200, json::array())});
    CHECK(run(api->decorate(open_view(12), {"promotion"}, {})).value().empty());
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: merging names the head, and a schedule is not a merge") {
    impostor.on(
        "POST " + pulls + "/12/merge",
        {plays(201),
         plays(200),
         plays(
             409,
             {{"message", "pull request is already scheduled to auto merge when checks succeed"}}
         )}
    );
    CHECK(merge(merge_method::squash).value() == forge::auto_merge::armed);
    CHECK(
        impostor.requests()[0].body ==
        json{{"do", "squash"}, {"head_commit_id", head_commit}, {"merge_when_checks_succeed", true}}
    );
    CHECK(merge().value() == forge::auto_merge::merged);
    CHECK(merge().value() == forge::auto_merge::armed);
}

TEST_CASE_METHOD(
    gitea_fixture, "Gitea: what we armed is known to be armed until its head moves or we disarm it"
) {
    auto moved = pull(12);
    moved["head"]["sha"] = "beef";
    impostor.on("POST " + pulls + "/12/merge", {plays(201)});
    impostor.on("DELETE " + pulls + "/12/merge", {plays(204)});
    impostor.on(
        "GET " + pulls + "/12",
        {plays(200, pull(12)), plays(200, pull(12)), plays(200, moved), plays(200, pull(12))}
    );
    CHECK_FALSE(run(api->get(12)).value().armed);
    REQUIRE(merge());
    CHECK(run(api->get(12)).value().armed);
    CHECK_FALSE(run(api->get(12)).value().armed);
    REQUIRE(run(api->disarm(open_view(12))));
    CHECK_FALSE(run(api->get(12)).value().armed);
}

TEST_CASE_METHOD(
    gitea_fixture, "Gitea: one that is still looked at waits, one merged meanwhile is merged"
) {
    auto merged = pull(12, "closed");
    merged["merged"] = true;
    impostor.on(
        "POST " + pulls + "/12/merge",
        {plays(405, {{"message", "Please try again later"}}), plays(405)}
    );
    impostor.on("GET " + pulls + "/12", {plays(200, pull(12)), plays(200, merged)});
    impostor.on("GET " + merged_ref, {plays(404)});
    CHECK(merge().value() == forge::auto_merge::not_yet);
    CHECK(merge().value() == forge::auto_merge::merged);
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: what will never merge is told") {
    impostor.on(
        "POST " + pulls + "/12/merge",
        {plays(409, {{"message", "head out of date"}}),
         plays(
             405, {{"message", "rebase is not allowed an allowed merge style for this repository"}}
         ),
         plays(405, {{"message", "User not allowed to merge PR"}})}
    );
    CHECK(merge().error().code == errc::conflict);
    const auto style = merge(merge_method::rebase);
    REQUIRE_FALSE(style);
    CHECK(says(style.error().message, "autoMerge.method"));
    CHECK(merge().error().code == errc::unauthenticated);
}

TEST_CASE_METHOD(
    gitea_fixture, "Gitea: disarming is asked for always, and nothing to disarm is success"
) {
    impostor.on(
        "DELETE " + pulls + "/12/merge",
        {plays(204), plays(404, {{"message", "not found"}}), plays(403, {{"message", "no"}})}
    );
    CHECK(run(api->disarm(open_view(12))));
    CHECK(run(api->disarm(open_view(12))));
    CHECK_FALSE(run(api->disarm(open_view(12))));
}

TEST_CASE_METHOD(gitea_fixture, "Gitea: closing says why") {
    impostor.on("PATCH " + pulls + "/12", {plays(201, pull(12, "closed"))});
    impostor.on("POST " + repository + "/issues/12/comments", {plays(201, {{"id", 1}})});
    REQUIRE(run(api->close(open_view(12), "6.2.0 took its place")));
    CHECK(impostor.requests()[0].body == json{{"state", "closed"}});
    CHECK(impostor.requests()[1].body == json{{"body", "6.2.0 took its place"}});
}

} // namespace sluice::tests
