#include "net/address.hpp"
#include "net/http.hpp"
#include "net/trace_context.hpp"
#include "tests/support/catch.hpp"

#include <set>

using namespace sluice;
using namespace sluice::net;

TEST_CASE("a listen URL is read whole or refused with the remedy") {
    const std::pair<const char*, const char*> good[] = {
        {"https://127.0.0.1:8443", "https://127.0.0.1:8443"},
        {"http://[::1]:0", "http://[::1]:0"},
        {"https://localhost:8443/", "https://localhost:8443"},
        {"https://0.0.0.0:443", "https://0.0.0.0:443"},
        {"unix:/run/sluice.sock", "unix:/run/sluice.sock"},
    };
    for (const auto& [text, url] : good) {
        INFO(text);
        const auto parsed = parse_listen_url(text);
        REQUIRE(parsed.has_value());
        CHECK(parsed->url() == url);
    }
    const char* bad[] = {
        "",
        "127.0.0.1:8443",
        "ftp://127.0.0.1:1",
        "https://",
        "https://:8443",
        "https://127.0.0.1",
        "https://127.0.0.1:",
        "https://127.0.0.1:65536",
        "https://127.0.0.1:-1",
        "https://127.0.0.1:80x",
        "https://[::1]",
        "https://example.org:1",
        "unix:relative",
        "https://127.0.0.1:80/path",
    };
    for (const char* text : bad) {
        INFO(text);
        const auto parsed = parse_listen_url(text);
        REQUIRE_FALSE(parsed.has_value());
        CHECK(parsed.error().message.find("for example") != std::string::npos);
    }
}

TEST_CASE("clients are counted by IPv4 address and by IPv6 /64") {
    const auto key = [](const char* text) {
        return client_key(boost::asio::ip::make_address(text)).to_string();
    };
    CHECK(key("192.0.2.7") == "192.0.2.7");
    CHECK(key("::ffff:192.0.2.7") == "192.0.2.7");
    CHECK(key("2001:db8:1:2:3:4:5:6") == "2001:db8:1:2::");
    CHECK(key("2001:db8:1:2:ffff::1") == key("2001:db8:1:2::9"));
    CHECK(key("2001:db8:1:3::1") != key("2001:db8:1:2::1"));
}

TEST_CASE("a request id of the client is kept when it is harmless, else a new one is made") {
    CHECK(http::choose_request_id("abc-DEF_1.2") == "abc-DEF_1.2");
    CHECK(http::choose_request_id(std::string(64, 'a')) == std::string(64, 'a'));
    const std::optional<std::string_view> bad[] = {
        std::nullopt,
        "",
        "a b",
        "a\"b",
        "\xc3\xa4",
        "a/b",
        "1234567890123456789012345678901234567890123456789012345678901234x",
    };
    std::set<std::string> made;
    for (const auto& id : bad) {
        const auto chosen = http::choose_request_id(id);
        CHECK(chosen.size() == 16);
        CHECK(made.insert(chosen).second);
    }
}

TEST_CASE("a traceparent is taken as the specification says and passed on with our span") {
    const std::string trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    const std::string span = "00f067aa0ba902b7";
    const auto parsed = parse_traceparent("00-" + trace + "-" + span + "-01");
    REQUIRE(parsed.has_value());
    CHECK(parsed->trace_id == trace);
    CHECK(parsed->parent_id == span);
    CHECK(parsed->sampled);
    CHECK(parsed->traceparent("1111111111111111") == "00-" + trace + "-1111111111111111-01");
    CHECK_FALSE(parse_traceparent("00-" + trace + "-" + span + "-00")->sampled);
    CHECK(parse_traceparent("cc-" + trace + "-" + span + "-0b-more")->sampled);

    const std::string bad[] = {
        "",
        "00",
        "ff-" + trace + "-" + span + "-01",
        "00-" + trace + "-" + span + "-01-more",
        "00-" + std::string(32, '0') + "-" + span + "-01",
        "00-" + trace + "-" + std::string(16, '0') + "-01",
        "00-" + trace + "-" + span + "-0x",
        "00_" + trace + "-" + span + "-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-" + span + "-01",
        "cc-" + trace + "-" + span + "-01x",
    };
    for (const auto& text : bad) {
        INFO(text);
        CHECK_FALSE(parse_traceparent(text));
    }
}
