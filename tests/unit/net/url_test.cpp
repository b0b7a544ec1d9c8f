#include "net/url.hpp"
#include "tests/support/catch.hpp"

#include <vector>

using namespace sluice;
using namespace sluice::net;

TEST_CASE("a URL is taken apart into what is dialled, what is sent and what may be logged") {
    struct row {
        const char* text;
        const char* host;
        std::uint16_t port;
        const char* target;
        const char* authority;
        const char* logged;
    };
    const row rows[] = {
        {"https://forge.test/a/b?c=d",
         "forge.test",
         443,
         "/a/b?c=d",
         "forge.test",
         "https://forge.test/a/b"},
        {"HTTP://Forge.TEST:8080",
         "forge.test",
         8080,
         "/",
         "forge.test:8080",
         "http://forge.test:8080/"},
        {"https://[::1]:8443/x", "::1", 8443, "/x", "[::1]:8443", "https://[::1]:8443/x"},
        {"http://127.0.0.1?q=1", "127.0.0.1", 80, "/?q=1", "127.0.0.1", "http://127.0.0.1/"},
        {"https://forge.test:443/", "forge.test", 443, "/", "forge.test", "https://forge.test/"},
        {"https://forge.test/@scope/p",
         "forge.test",
         443,
         "/@scope/p",
         "forge.test",
         "https://forge.test/@scope/p"},
    };
    for (const auto& r : rows) {
        CAPTURE(r.text);
        const auto parsed = parse_url(r.text);
        REQUIRE(parsed.has_value());
        CHECK(parsed->host == r.host);
        CHECK(parsed->port == r.port);
        CHECK(parsed->target == r.target);
        CHECK(parsed->authority() == r.authority);
        CHECK(parsed->text() == r.logged);
    }
}

TEST_CASE("a URL that cannot be meant is refused without repeating what may be a password") {
    for (const char* text : {
             "forge.test/canary",
             "ftp://forge.test/canary",
             "https:///canary",
             "https://user:canary@forge.test/",
             "https://forge.test/#canary",
             "https://forge.test:0/canary",
             "https://forge.test:65536/canary",
             "https://forge.test:8o/canary",
             "https://[::1/canary",
             "https://[canary]/",
             "https://[fe80::1%25canary]/",
             "https://for ge.test/canary",
             "https://forge.test/canary\r\nX: y",
             "https://forge.test/can ary",
             "https://f\xc3\xb6rge.test/canary",
             "",
         }) {
        CAPTURE(text);
        const auto parsed = parse_url(text);
        REQUIRE_FALSE(parsed.has_value());
        CHECK(parsed.error().code == errc::invalid_argument);
        CHECK(parsed.error().message.find("canary") == std::string::npos);
    }
}

TEST_CASE("another path of the same server keeps the server") {
    const auto base = parse_url("https://forge.test:8443/old?x=y").value();
    CHECK(base.at("/new?z").text() == "https://forge.test:8443/new");
    CHECK(base.at("/new?z").target == "/new?z");
    CHECK(base.at("new").target == "/new");
}

TEST_CASE("a component of a path is encoded so that nothing in it has a meaning there") {
    CHECK(encode_component("release/1.2~x_y-z") == "release%2F1.2~x_y-z");
    CHECK(encode_component("a b?c#d%\xc3\xb6") == "a%20b%3Fc%23d%25%C3%B6");
    CHECK(encode_component("").empty());
}
