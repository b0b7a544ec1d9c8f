#include "server/router.hpp"
#include "tests/support/catch.hpp"

#include <stdexcept>

using namespace sluice;
using namespace sluice::server;

namespace {

boost::asio::awaitable<http::response> nothing(http::request&, const params&) {
    co_return http::response{};
}

const router& table() {
    static const router r(
        {
            {"POST", "/{ns}/{pipeline}/{env}", "event", nothing},
            {"POST", "/promotion/{ns}/{pipeline}/{env}", "promotion", nothing},
            {"GET", "/api/v1/promotions", "list", nothing},
            {"GET", "/api/v1/promotions/{id}", "show", nothing},
            {"POST", "/api/v1/promotions/{id}", "act", nothing},
            {"GET", "/api/v1/{kind}/all", "all", nothing},
            {"GET", "/", "root", nothing},
        },
        {"forge"}
    );
    return r;
}

std::string name_of(const route_match& m) {
    return m.kind == routing::matched ? table().routes()[m.index].name : "";
}

} // namespace

TEST_CASE("a path is matched whole, and fixed segments win over names") {
    struct row {
        const char* method;
        const char* path;
        routing kind;
        const char* name;
    };
    const row rows[] = {
        {"POST", "/default/podinfo/dev", routing::matched, "event"},
        {"POST", "/promotion/default/podinfo/dev", routing::matched, "promotion"},
        {"GET", "/api/v1/promotions", routing::matched, "list"},
        {"GET", "/api/v1/promotions/x", routing::matched, "show"},
        {"POST", "/api/v1/promotions/x", routing::matched, "act"},
        {"GET", "/api/v1/promotions/all", routing::matched, "show"},
        {"GET", "/api/v1/pipelines/all", routing::matched, "all"},
        {"GET", "/", routing::matched, "root"},
        {"HEAD", "/", routing::matched, "root"},
        // reserved first segments are never a namespace
        {"POST", "/api/podinfo/dev", routing::not_found, ""},
        {"POST", "/promotion/podinfo/dev", routing::not_found, ""},
        {"POST", "/forge/podinfo/dev", routing::not_found, ""},
        {"POST", "/%61pi/podinfo/dev", routing::not_found, ""},
        // the long form reaches them
        {"POST", "/promotion/api/podinfo/dev", routing::matched, "promotion"},
        // anchored on both sides
        {"POST", "/x/default/podinfo/dev", routing::not_found, ""},
        {"POST", "/default/podinfo/dev/", routing::not_found, ""},
        {"POST", "/default/podinfo", routing::not_found, ""},
        {"POST", "//default/podinfo/dev", routing::not_found, ""},
        {"POST", "/default//dev", routing::not_found, ""},
        {"POST", "/default/../dev", routing::not_found, ""},
        {"POST", "/default/%2e%2E/dev", routing::not_found, ""},
        {"POST", "/./podinfo/dev", routing::not_found, ""},
        {"OPTIONS", "*", routing::not_found, ""},
        {"GET", "", routing::not_found, ""},
        // broken escapes
        {"POST", "/default/podinfo/%", routing::malformed, ""},
        {"POST", "/default/podinfo/%4", routing::malformed, ""},
        {"POST", "/default/podinfo/%zz", routing::malformed, ""},
        {"POST", "/default/podinfo/a%00b", routing::malformed, ""},
        // wrong method
        {"GET", "/default/podinfo/dev", routing::method_not_allowed, ""},
        {"post", "/default/podinfo/dev", routing::method_not_allowed, ""},
    };
    for (const auto& r : rows) {
        INFO(r.method << " " << r.path);
        const auto found = table().match(r.method, r.path);
        CHECK(found.kind == r.kind);
        CHECK(name_of(found) == r.name);
    }
}

TEST_CASE("the answer to a wrong method names all that are right") {
    CHECK(table().match("PUT", "/a/b/c").allow == "POST");
    CHECK(table().match("DELETE", "/api/v1/promotions/x").allow == "GET, HEAD, POST");
}

TEST_CASE("parameters are decoded segment by segment, an encoded slash stays inside its own") {
    auto found = table().match("POST", "/team%2Fa/pod%20info/d%C3%A9v");
    REQUIRE(found.kind == routing::matched);
    const auto moved = std::move(found);
    CHECK(moved.params["ns"] == "team/a");
    CHECK(moved.params["pipeline"] == "pod info");
    CHECK(moved.params["env"] == "d\xc3\xa9v");
    CHECK_THROWS_AS(moved.params["other"], std::out_of_range);
    const auto plain = table().match("POST", "/default/podinfo/dev");
    CHECK(plain.params["ns"] == "default");
    CHECK(plain.params["env"] == "dev");
}

TEST_CASE("a route that cannot be right is found at start") {
    CHECK_THROWS_AS(router({{"GET", "a", "a", nothing}}), std::invalid_argument);
    CHECK_THROWS_AS(router({{"GET", "/a//b", "a", nothing}}), std::invalid_argument);
    CHECK_THROWS_AS(router({{"GET", "/a/{}", "a", nothing}}), std::invalid_argument);
}
