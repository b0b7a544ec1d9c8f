#include "tests/unit/promotion/forge_fixture.hpp"

// What every forge does alike: trouble, limits, refusals.
namespace sluice::tests {
namespace {

struct kind {
    pipeline::forge type;
    std::string name;
    std::string path;
};

const kind kinds[] = {
    {pipeline::forge::github, "github", "/org/fleet"},
    {pipeline::forge::gitlab, "gitlab", "/org/fleet"},
    {pipeline::forge::gitea, "gitea", "/org/fleet"},
    {pipeline::forge::bitbucket_server, "bitbucket-server", "/scm/org/fleet.git"},
};

struct any_forge : forge_fixture {
    explicit any_forge(const kind& k) : forge_fixture(k.type, k.name, k.path) {}
};

} // namespace

TEST_CASE("a sign-in page instead of JSON is a permanent error that names token and apiURL") {
    for (const auto& k : kinds) {
        for (const int status : {200, 203, 401, 404}) {
            INFO(k.name << " " << status);
            any_forge f{k};
            f.impostor.on("GET *", {sign_in_page(status)});
            f.impostor.on("POST *", {sign_in_page(status)});
            const auto found = f.find();
            REQUIRE_FALSE(found);
            CHECK(found.error().code == errc::unprocessable);
            CHECK(
                says(found.error().message, "answered with a web page: check the token and apiURL")
            );
            const auto made = f.create();
            REQUIRE_FALSE(made);
            CHECK(made.error().code == errc::unprocessable);
        }
    }
}

TEST_CASE("a redirect, to a sign-in page or a renamed repository, is permanent and not followed") {
    for (const auto& k : kinds) {
        INFO(k.name);
        any_forge f{k};
        f.impostor.on("GET *", {with(plays(302), "Location", f.impostor.url() + "/login")});
        const auto found = f.find();
        REQUIRE_FALSE(found);
        CHECK(found.error().code == errc::unprocessable);
        CHECK(f.impostor.requests().size() == 1);
    }
}

TEST_CASE("trouble of the forge is transient, and its Retry-After is kept") {
    for (const auto& k : kinds) {
        for (const int status : {500, 502, 503}) {
            INFO(k.name << " " << status);
            any_forge f{k};
            f.impostor.on("POST *", {with(sign_in_page(status), "Retry-After", "17")});
            const auto made = f.create();
            REQUIRE_FALSE(made);
            CHECK(made.error().code == errc::unavailable);
            CHECK(made.error().retry_after == std::chrono::seconds{17});
        }
    }
}

TEST_CASE("a forge that cannot be reached is transient") {
    for (const auto& k : kinds) {
        INFO(k.name);
        any_forge f{k};
        f.strategy.url = "http://127.0.0.1:1" + k.path;
        f.make();
        const auto made = f.create();
        REQUIRE_FALSE(made);
        CHECK(made.error().code == errc::unavailable);
    }
}

TEST_CASE("refusals are permanent, say what to do and never repeat the token") {
    struct row {
        int status;
        std::string message;
        errc code;
        std::string remedy;
    };
    const row rows[] = {
        {401, "Bad credentials " + api_token, errc::unauthenticated, "check the token in the Secret"
        },
        {403,
         "Resource not accessible by personal access token",
         errc::unauthenticated,
         "the token may not do this"},
        {404, "Not Found", errc::not_found, "whether the token may see the repository"},
        {403, "Repository was archived so is read-only.", errc::conflict, "archived"},
        {423, "", errc::conflict, "archived"},
        {400, "bad", errc::unprocessable, "bad"},
    };
    for (const auto& k : kinds) {
        for (const auto& r : rows) {
            INFO(k.name << " " << r.status << " " << r.message);
            any_forge f{k};
            const json body = k.type == pipeline::forge::bitbucket_server
                                  ? json{{"errors", json::array({json{{"message", r.message}}})}}
                                  : json{{"message", r.message}};
            f.impostor.on("POST *", {plays(r.status, body)});
            const auto made = f.create();
            REQUIRE_FALSE(made);
            CHECK(made.error().code == r.code);
            CHECK(says(made.error().message, r.remedy));
            CHECK_FALSE(says(made.error().message, api_token));
        }
    }
}

TEST_CASE("too many requests: all of the account stays away as long as the forge says") {
    for (const auto& k : kinds) {
        INFO(k.name);
        any_forge f{k};
        f.impostor.on("GET *", {with(plays(429, {{"message", "slow down"}}), "Retry-After", "30")});
        const auto found = f.find();
        REQUIRE_FALSE(found);
        CHECK(found.error().code == errc::too_many_requests);
        CHECK(found.error().retry_after == std::chrono::seconds{30});
        f.make();
        const auto made = f.create(); // nothing is sent
        REQUIRE_FALSE(made);
        CHECK(made.error().code == errc::too_many_requests);
        CHECK(f.impostor.requests().size() == 1);
        f.time.advance(std::chrono::seconds{31});
        f.impostor.on("GET *", {plays(200, json::array())});
        CHECK(f.find());
    }
}

TEST_CASE("another account of the same forge is not kept away") {
    any_forge f{kinds[0]};
    f.impostor.on(
        "GET *",
        {with(plays(429, {{"message", "slow down"}}), "Retry-After", "30"),
         plays(200, json::array())}
    );
    CHECK_FALSE(f.find());
    f.login.identity = "token 2";
    f.make();
    CHECK(f.find());
}

TEST_CASE("what the headers tell of the limits is shown as metrics") {
    any_forge f{kinds[0]};
    auto answer = with(plays(200, json::array()), "x-ratelimit-remaining", "4321");
    f.impostor.on("GET *", {with(answer, "x-ratelimit-reset", "1790000600")});
    REQUIRE(f.find());
    const auto text = f.metrics.text();
    CHECK(says(text, "sluice_forge_requests_remaining{"));
    CHECK(says(text, "resource=\"core\"} 4321"));
    CHECK(says(text, "sluice_forge_writes_left{"));
    CHECK_FALSE(says(text, api_token));
}

TEST_CASE("an account that used up its writes of the hour is told when, and nothing is sent") {
    any_forge f{kinds[0]};
    f.impostor.on("PATCH *", {plays(200, {{"number", 12}})});
    for (int i = 0; i < 500; ++i) {
        REQUIRE(f.run(f.api->update(open_view(12), "t", "b")));
        f.time.advance(std::chrono::seconds{1});
    }
    const auto refused = f.run(f.api->update(open_view(12), "t", "b"));
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::too_many_requests);
    CHECK(refused.error().retry_after == std::chrono::seconds{3600 - 500});
    CHECK(f.impostor.requests().size() == 500);
    f.impostor.on("GET *", {plays(200, json::array())});
    CHECK(f.find()); // reading goes on
}

TEST_CASE("the JSON of another service is not taken for a pull request") {
    for (const auto& k : kinds) {
        INFO(k.name);
        any_forge f{k};
        f.impostor.on("GET *", {plays(200, {{"status", "ok"}})});
        f.impostor.on("POST *", {plays(201, {{"status", "ok"}})});
        CHECK(f.create().error().code == errc::unprocessable);
        const auto seen = f.run(f.api->get(12));
        REQUIRE_FALSE(seen);
        CHECK(says(seen.error().message, "check apiURL"));
    }
}

TEST_CASE("type git has no pull requests, and a URL without a repository is told") {
    any_forge f{kinds[0]};
    forge::connection c;
    c.client = &f.client;
    c.limits = &f.limits;
    f.strategy.type = pipeline::forge::git;
    CHECK(forge::make(c, f.strategy, f.login).error().code == errc::unsupported);
    f.strategy.type = pipeline::forge::github;
    f.strategy.url = "https://github.example/fleet";
    CHECK(forge::make(c, f.strategy, f.login).error().code == errc::unprocessable);
}

} // namespace sluice::tests
