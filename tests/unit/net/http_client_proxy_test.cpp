#include "net/client/proxy.hpp"
#include "tests/unit/net/http_client_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using net::client::proxy_rules;

namespace {

net::http_client::options through(const scripted_server& proxy, const std::string& login = "") {
    net::http_client::options o;
    o.https_proxy = "http://" + login + "127.0.0.1:" + std::to_string(proxy.port());
    o.http_proxy = o.https_proxy;
    return o;
}

} // namespace

TEST_CASE("which hosts go through the proxy follows NO_PROXY as other tools read it") {
    const proxy_rules rules{
        "http://secure-proxy.test:3128",
        "plain-proxy.test:3129",
        "internal.test, .below.test,*.star.test "
        "10.0.0.0/8,192.0.2.7,[2001:db8::1],2001:db8:1::/48,port.test:8443"
    };
    struct row {
        const char* url;
        const char* through; // "" directly
    };
    const row rows[] = {
        {"https://forge.test/", "secure-proxy.test:3128"},
        {"http://forge.test/", "plain-proxy.test:3129"},
        {"https://internal.test/", ""},
        {"https://a.internal.test/", ""},
        {"https://notinternal.test/", "secure-proxy.test:3128"},
        {"https://below.test/", "secure-proxy.test:3128"},
        {"https://a.below.test/", ""},
        {"https://a.star.test/", ""},
        {"https://10.1.2.3/", ""},
        {"https://11.1.2.3/", "secure-proxy.test:3128"},
        {"https://192.0.2.7/", ""},
        {"https://[2001:db8::1]/", ""},
        {"https://[2001:db8:1::5]/", ""},
        {"https://[2001:db8:2::5]/", "secure-proxy.test:3128"},
        {"https://port.test:8443/", ""},
        {"https://port.test/", "secure-proxy.test:3128"},
        {"https://localhost:8443/", ""},
        {"https://127.0.0.1/", ""},
    };
    for (const auto& r : rows) {
        CAPTURE(r.url);
        const auto route = rules.route(net::parse_url(r.url).value());
        REQUIRE(route.has_value());
        CHECK((*route != nullptr ? (*route)->name() : "") == r.through);
    }
    const proxy_rules nowhere{"http://p.test:1", "http://p.test:1", "*"};
    CHECK(nowhere.route(net::parse_url("https://forge.test").value()).value() == nullptr);
}

TEST_CASE("a proxy that cannot be understood fails the calls it is for, without its password") {
    for (const char* text :
         {"http://user:canary@", "https://user:canary@p.test", "socks5://user:canary@p.test"}) {
        net::http_client::options o;
        o.https_proxy = text;
        http_client_fixture f{o};
        const auto got = f.send(call_to("https://forge.test/"));
        REQUIRE_FALSE(got.has_value());
        CHECK(says(got.error().message, "proxy"));
        CHECK_FALSE(says(got.error().message, "canary"));
    }
}

TEST_CASE("https goes through the proxy's tunnel, and TLS is with the host behind it") {
    const temp_folder folder;
    const auto own = make_test_certificate("DNS:forge.test");
    const auto tls = server_tls(folder, own);
    notebook seen;
    // The proxy is the peer itself: what comes through the tunnel is answered on the spot.
    scripted_server proxy{{[&](server_end& end) {
        seen.add(end.read_head());
        end.send("HTTP/1.1 200 Connection established\r\n\r\n");
        end.use_tls(*tls);
        if (!end.handshake()) return;
        seen.add(end.read_head());
        end.send(ok);
        answering(ok)(end);
    }}};
    http_client_fixture f{through(proxy, "user:p%40ss@")};
    auto call = call_to("https://forge.test/path");
    call.tls = trusting(own);
    call.authorization = secret_string{"Bearer canary"};
    for (int i = 0; i < 2; ++i) {
        const auto got = f.send(call);
        INFO(complaint(got));
        REQUIRE(got.has_value());
    }
    CHECK(proxy.connections() == 1);
    REQUIRE(seen.all().size() == 2);
    const auto asked = seen.all()[0];
    const auto inner = seen.all()[1];
    CHECK(asked.starts_with("CONNECT forge.test:443 HTTP/1.1\r\nHost: forge.test:443\r\n"));
    CHECK(says(asked, "Proxy-Authorization: Basic dXNlcjpwQHNz\r\n")); // user:p@ss
    CHECK_FALSE(says(asked, "canary"));
    CHECK(inner.starts_with("GET /path HTTP/1.1\r\nHost: forge.test\r\n"));
    CHECK_FALSE(says(inner, "Proxy-Authorization"));

    call.url = net::parse_url("https://other.test/").value();
    const auto other = f.send(call);
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().code == errc::unprocessable);
    CHECK(says(other.error().message, "certificate of other.test is for another host"));
}

TEST_CASE("http is asked of the proxy by its whole URL") {
    notebook seen;
    scripted_server proxy{{[&](server_end& end) {
        seen.add(end.read_head());
        end.send(ok);
    }}};
    http_client_fixture f{through(proxy, "user:pass@")};
    REQUIRE(f.send(call_to("http://forge.test:8080/path?q")).has_value());
    REQUIRE(seen.all().size() == 1);
    const auto head = seen.all()[0];
    CHECK(head.starts_with("GET http://forge.test:8080/path?q HTTP/1.1\r\nHost: forge.test:8080\r\n"
    ));
    CHECK(says(head, "Proxy-Authorization: Basic dXNlcjpwYXNz\r\n"));
}

TEST_CASE("a proxy that refuses, is silent or cuts the tunnel is told apart from the host") {
    struct row {
        const char* said;
        errc code;
        const char* told;
    };
    const row rows[] = {
        {"HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
         errc::unprocessable,
         "another login"},
        {"HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n",
         errc::unavailable,
         "answers 502 when asked for forge.test"},
        {"", errc::unavailable, "without an answer"},
    };
    for (const auto& r : rows) {
        scripted_server proxy{{[&](server_end& end) {
            (void)end.read_head();
            end.send(r.said);
        }}};
        http_client_fixture f{through(proxy, "user:canary@")};
        const auto got = f.send(call_to("https://forge.test/"));
        REQUIRE_FALSE(got.has_value());
        INFO(got.error().message);
        CHECK(got.error().code == r.code);
        CHECK(says(got.error().message, r.told));
        CHECK(says(got.error().message, "the proxy 127.0.0.1"));
        CHECK_FALSE(says(got.error().message, "canary"));
    }
    scripted_server silent{{[](server_end& end) { (void)end.wait_for_end(); }}};
    http_client_fixture f{through(silent)};
    auto call = call_to("https://forge.test/");
    call.deadlines.connect = 150ms;
    const auto got = f.send(call);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::timed_out);
    CHECK(says(got.error().message, "waited for the proxy 127.0.0.1"));
}
