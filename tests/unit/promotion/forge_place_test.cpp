#include "promotion/forge/repository_place.hpp"
#include "tests/support/catch.hpp"

namespace sluice::promotion::forge {
namespace {

using type = pipeline::forge;

struct row {
    type of;
    std::string url;
    std::string api_url;
    std::string api; // URL of the API
    std::string owner;
    std::string name;
};

} // namespace

TEST_CASE("a clone URL tells where the forge's API is and what it calls the repository") {
    const row rows[] = {
        {type::github, "https://github.com/org/fleet", "", "https://api.github.com", "org", "fleet"
        },
        {type::github,
         "https://github.com/org/fleet.git",
         "",
         "https://api.github.com",
         "org",
         "fleet"},
        {type::github,
         "https://www.github.com/org/fleet/",
         "",
         "https://api.github.com",
         "org",
         "fleet"},
        {type::github,
         "https://acme.ghe.com/org/fleet",
         "",
         "https://api.acme.ghe.com",
         "org",
         "fleet"},
        {type::github,
         "https://git.corp.example/org/fleet",
         "",
         "https://git.corp.example/api/v3",
         "org",
         "fleet"},
        {type::github,
         "https://git.corp.example:8443/org/fleet",
         "",
         "https://git.corp.example:8443/api/v3",
         "org",
         "fleet"},
        {type::github,
         "https://git.corp.example/org/fleet",
         "https://api.corp.example/",
         "https://api.corp.example",
         "org",
         "fleet"},
        {type::gitlab,
         "https://gitlab.com/group/app",
         "",
         "https://gitlab.com/api/v4",
         "group",
         "app"},
        {type::gitlab,
         "https://gitlab.com/group/sub/team/app.git",
         "",
         "https://gitlab.com/api/v4",
         "group/sub/team",
         "app"},
        {type::gitlab,
         "https://corp.example/gitlab/group/app",
         "https://corp.example/gitlab/api/v4",
         "https://corp.example/gitlab/api/v4",
         "group",
         "app"},
        {type::gitlab,
         "https://corp.example/group/app",
         "https://corp.example",
         "https://corp.example/api/v4",
         "group",
         "app"},
        {type::gitea,
         "https://gitea.example/org/fleet.git",
         "",
         "https://gitea.example/api/v1",
         "org",
         "fleet"},
        {type::gitea,
         "http://gitea.example:3000/git/org/fleet",
         "",
         "http://gitea.example:3000/git/api/v1",
         "org",
         "fleet"},
        {type::bitbucket_server,
         "https://bb.example/scm/PROJ/fleet.git",
         "",
         "https://bb.example/rest/api/1.0",
         "PROJ",
         "fleet"},
        {type::bitbucket_server,
         "https://bb.example/ctx/scm/~alice/fleet.git",
         "",
         "https://bb.example/ctx/rest/api/1.0",
         "~alice",
         "fleet"},
        {type::bitbucket_server,
         "https://bb.example/scm/scm/fleet.git",
         "",
         "https://bb.example/rest/api/1.0",
         "scm",
         "fleet"},
        {type::bitbucket_server,
         "https://bb.example/scm/P/fleet",
         "https://bb.example/rest/api/latest",
         "https://bb.example/rest/api/latest",
         "P",
         "fleet"},
    };
    for (const auto& r : rows) {
        INFO(r.url << " " << r.api_url);
        const auto place = place_of(r.of, r.url, r.api_url);
        REQUIRE(place.has_value());
        CHECK(place->at("/x").text() == r.api + "/x");
        CHECK(place->owner == r.owner);
        CHECK(place->name == r.name);
    }
}

TEST_CASE("GraphQL is beside GitHub's REST API") {
    CHECK(place_of(type::github, "https://github.com/o/r", "").value().graphql == "/graphql");
    CHECK(
        place_of(type::github, "https://git.corp.example/o/r", "").value().graphql == "/api/graphql"
    );
    CHECK(
        place_of(type::github, "https://x.example/o/r", "https://p.example/gh/api/v3")
            .value()
            .graphql == "/gh/api/graphql"
    );
}

TEST_CASE("a URL that names no repository is refused with the shape it should have") {
    const std::pair<type, std::string> rows[] = {
        {type::github, "https://github.com/org"},
        {type::github, "https://github.com/"},
        {type::github, "https://github.com/org/fleet/tree/main"},
        {type::github, "https://github.com/org/.git"},
        {type::gitlab, "https://gitlab.com/group%2Fapp/x"},
        {type::gitea, "https://gitea.example/../fleet"},
        {type::bitbucket_server, "https://bb.example/fleet.git"},
        {type::github, "ssh://git@github.com/org/fleet"},
        {type::github, "https://bot:hunter2@github.com/org/fleet"},
    };
    for (const auto& [of, url] : rows) {
        INFO(url);
        const auto place = place_of(of, url, "");
        REQUIRE_FALSE(place.has_value());
        CHECK(place.error().code == errc::unprocessable);
        CHECK(place.error().message.find("https://HOST") != std::string::npos);
        CHECK(place.error().message.find("hunter2") == std::string::npos);
    }
    CHECK(place_of(type::github, "https://github.com/o/r", "api.example")
              .error()
              .message.starts_with("apiURL: "));
}

} // namespace sluice::promotion::forge
