#include "tests/unit/promotion/forge_fixture.hpp"

namespace sluice::tests {
namespace {

const std::string graphql = "POST /api/graphql";
const std::string pull_12 = "/api/v3/repos/org/fleet/pulls/12";

struct github_fixture : forge_fixture {
    github_fixture() : forge_fixture(pipeline::forge::github, "github", "/org/fleet") {}

    [[nodiscard]] result<forge::auto_merge> merge(merge_method how = merge_method::squash) {
        return run(api->merge_when_ready(open_view(12, "PR_kw12"), how));
    }
};

played_answer
graphql_refuses(const std::string& message, const std::string& type = "UNPROCESSABLE") {
    const json error{
        {"type", type}, {"path", {"enablePullRequestAutoMerge"}}, {"message", message}
    };
    return plays(
        200, {{"data", {{"enablePullRequestAutoMerge", nullptr}}}, {"errors", json::array({error})}}
    );
}

const played_answer graphql_done =
    plays(200, {{"data", {{"enablePullRequestAutoMerge", {{"pullRequest", {{"number", 12}}}}}}}});

json pull(bool armed) {
    json p{{"number", 12}, {"node_id", "PR_kw12"}, {"state", "open"}, {"auto_merge", nullptr}};
    if (armed) p["auto_merge"] = {{"merge_method", "squash"}};
    return p;
}

} // namespace

TEST_CASE_METHOD(
    github_fixture, "GitHub: auto-merge is armed for the head we know, by our method", "[github]"
) {
    impostor.on(graphql, {graphql_done});
    const auto armed = merge();
    REQUIRE(armed);
    CHECK(*armed == forge::auto_merge::armed);
    const auto asked = impostor.request(graphql).body;
    CHECK(says(asked.at("query"), "enablePullRequestAutoMerge"));
    CHECK(
        asked.at("variables") == json{{"id", "PR_kw12"}, {"how", "SQUASH"}, {"head", head_commit}}
    );
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: with nothing to wait for the very head we know is merged at once",
    "[github]"
) {
    impostor.on(graphql, {graphql_refuses("Pull request Pull request is in clean status")});
    impostor.on("PUT " + pull_12 + "/merge", {plays(200, {{"sha", "aa"}, {"merged", true}})});
    const auto merged = merge(merge_method::rebase);
    REQUIRE(merged);
    CHECK(*merged == forge::auto_merge::merged);
    CHECK(
        impostor.request("PUT " + pull_12 + "/merge").body ==
        json{{"sha", head_commit}, {"merge_method", "rebase"}}
    );
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: where auto-merge is off, the merge itself tells what is missing",
    "[github]"
) {
    impostor.on(
        graphql, {graphql_refuses("Pull request Auto merge is not allowed for this repository")}
    );
    const json blocked{{"message", "Required status check \"ci\" is expected."}};
    impostor.on("PUT " + pull_12 + "/merge", {plays(405, blocked), plays(200, {{"merged", true}})});
    CHECK(merge().value() == forge::auto_merge::not_yet);
    CHECK(merge().value() == forge::auto_merge::merged);
}

TEST_CASE_METHOD(github_fixture, "GitHub: checks that fail or run keep it unmerged", "[github]") {
    impostor.on(graphql, {graphql_refuses("Pull request Pull request is in unstable status")});
    CHECK(merge().value() == forge::auto_merge::not_yet);
    CHECK(impostor.requests().size() == 1);
}

TEST_CASE_METHOD(github_fixture, "GitHub: a head that moved is never merged", "[github]") {
    impostor.on(graphql, {graphql_refuses("Pull request Pull request is in clean status")});
    impostor.on(
        "PUT " + pull_12 + "/merge",
        {plays(409, {{"message", "Head branch was modified. Review and try the merge again."}})}
    );
    const auto merged = merge();
    REQUIRE_FALSE(merged);
    CHECK(merged.error().code == errc::conflict);
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: a merge method the repository does not allow is told with the remedy",
    "[github]"
) {
    impostor.on(graphql, {graphql_refuses("Pull request Pull request is in clean status")});
    impostor.on(
        "PUT " + pull_12 + "/merge",
        {plays(405, {{"message", "Squash merges are not allowed on this repository."}})}
    );
    const auto merged = merge();
    REQUIRE_FALSE(merged);
    CHECK(merged.error().code == errc::unprocessable);
    CHECK(says(merged.error().message, "autoMerge.method"));
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: a token that may not merge and a server too old for it are told, not waited for",
    "[github]"
) {
    impostor.on(
        graphql,
        {graphql_refuses("Resource not accessible by personal access token", "FORBIDDEN"),
         plays(
             200,
             {{"errors",
               json::array(
                   {json{{"message", "InputObject doesn't accept argument 'expectedHeadOid'"}}}
               )}}
         )}
    );
    const auto forbidden = merge();
    REQUIRE_FALSE(forbidden);
    CHECK(forbidden.error().code == errc::unauthenticated);
    const auto old = merge();
    REQUIRE_FALSE(old);
    CHECK(old.error().code == errc::unprocessable);
    CHECK(says(old.error().message, "expectedHeadOid"));
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: GraphQL's own limit is obeyed though it comes with status 200",
    "[github]"
) {
    impostor.on(graphql, {graphql_refuses("API rate limit exceeded", "RATE_LIMITED")});
    const auto merged = merge();
    REQUIRE_FALSE(merged);
    CHECK(merged.error().code == errc::too_many_requests);
    CHECK(merged.error().retry_after == std::chrono::seconds{60});
    // GraphQL is counted by itself: the rest goes on.
    impostor.on("GET " + pull_12, {plays(200, pull(false))});
    CHECK(run(api->get(12)));
}

TEST_CASE_METHOD(
    github_fixture, "GitHub: what is armed is disarmed before the branch is rewritten", "[github]"
) {
    impostor.on("GET " + pull_12, {plays(200, pull(true))});
    impostor.on(
        graphql,
        {plays(
            200, {{"data", {{"disablePullRequestAutoMerge", {{"pullRequest", {{"number", 12}}}}}}}}
        )}
    );
    REQUIRE(run(api->disarm(open_view(12))));
    const auto asked = impostor.request(graphql).body;
    CHECK(says(asked.at("query"), "disablePullRequestAutoMerge"));
    CHECK(asked.at("variables") == json{{"id", "PR_kw12"}});
}

TEST_CASE_METHOD(github_fixture, "GitHub: nothing to disarm is success", "[github]") {
    impostor.on("GET " + pull_12, {plays(200, pull(false))});
    REQUIRE(run(api->disarm(open_view(12))));
    CHECK(impostor.requests().size() == 1);
}

TEST_CASE_METHOD(
    github_fixture,
    "GitHub: what somebody disarmed meanwhile is success, what stays armed is not",
    "[github]"
) {
    impostor.on(graphql, {graphql_refuses("Can't disable auto-merge for this pull request.")});
    impostor.on("GET " + pull_12, {plays(200, pull(true)), plays(200, pull(false))});
    CHECK(run(api->disarm(open_view(12))));
    impostor.on("GET " + pull_12, {plays(200, pull(true))});
    CHECK_FALSE(run(api->disarm(open_view(12))));
}

} // namespace sluice::tests
