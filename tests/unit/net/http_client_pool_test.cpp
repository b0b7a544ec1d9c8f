#include "tests/unit/net/http_client_fixture.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>

using namespace sluice;
using namespace sluice::tests;
namespace asio = boost::asio;

namespace {

// Answers once and ends the connection after the next request came, without a word to it.
void die_on_second(server_end& end) {
    (void)end.read_head();
    end.send(ok);
    (void)end.read_head();
}

} // namespace

TEST_CASE("calls to one server share a connection, with TLS or without") {
    const temp_folder folder;
    const auto own = make_test_certificate("IP:127.0.0.1");
    const auto tls = server_tls(folder, own);
    for (const net::tls_context* with : {static_cast<net::tls_context*>(nullptr), tls.get()}) {
        scripted_server server{{answering(ok)}, with};
        http_client_fixture f;
        for (int i = 0; i < 5; ++i) {
            auto call = call_to(server.url());
            call.tls = trusting(own);
            REQUIRE(f.send(call).has_value());
        }
        CHECK(server.connections() == 1);
    }
}

TEST_CASE("a connection of one client certificate never serves another") {
    const temp_folder folder;
    const auto own = make_test_certificate("IP:127.0.0.1");
    const auto client = make_test_certificate("DNS:client");
    const auto tls = server_tls(folder, own);
    scripted_server server{{answering(ok)}, tls.get()};
    http_client_fixture f;
    auto call = call_to(server.url());
    call.tls = trusting(own);
    REQUIRE(f.send(call).has_value());
    call.tls = std::make_shared<net::client_tls>(
        net::client_tls{own.certificate_pem, client.certificate_pem, secret_string{client.key_pem}}
    );
    REQUIRE(f.send(call).has_value());
    CHECK(server.connections() == 2);
}

TEST_CASE("a connection is not used again when the server says so, or says more than its answer") {
    for (const char* answer : {
             "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 2\r\n\r\nok",
             "HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nok",
             "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok and more",
         }) {
        scripted_server server{{answering(answer)}};
        http_client_fixture f;
        REQUIRE(f.send(call_to(server.url())).has_value());
        REQUIRE(f.send(call_to(server.url())).has_value());
        CHECK(server.connections() == 2);
    }
}

TEST_CASE("a connection that idled too long is not used again") {
    scripted_server server{{answering(ok)}};
    net::http_client::options o;
    o.idle_for = 0ms;
    http_client_fixture f{o};
    REQUIRE(f.send(call_to(server.url())).has_value());
    REQUIRE(f.send(call_to(server.url())).has_value());
    CHECK(server.connections() == 2);
}

TEST_CASE("a pooled connection that the server has ended meanwhile costs nobody an error") {
    const temp_folder folder;
    const auto own = make_test_certificate("IP:127.0.0.1");
    const auto tls = server_tls(folder, own);
    for (const net::tls_context* with : {static_cast<net::tls_context*>(nullptr), tls.get()}) {
        std::atomic<bool> ended{false};
        const auto end_after_one = [&](server_end& end) {
            (void)end.read_head();
            end.send(ok);
            ended = true;
        };
        scripted_server server{{end_after_one, answering(ok)}, with};
        http_client_fixture f;
        auto call = call_to(server.url());
        call.tls = trusting(own);
        REQUIRE(f.send(call).has_value());
        REQUIRE(eventually([&] { return ended.load(); }));
        call.method = "POST";
        call.body = "x";
        const auto again = f.send(call);
        INFO(complaint(again));
        CHECK(again.has_value());
        CHECK(server.connections() == 2);
    }
}

TEST_CASE("a request on a pooled connection that dies without a byte is sent again, once") {
    scripted_server server{{die_on_second, answering(ok)}};
    http_client_fixture f;
    REQUIRE(f.send(call_to(server.url())).has_value());
    auto call = call_to(server.url());
    call.method = "POST";
    call.body = "replayed";
    const auto got = f.send(call);
    INFO(complaint(got));
    CHECK(got.has_value());
    CHECK(server.connections() == 2);

    const auto hang_up = [](server_end& end) { (void)end.read_head(); };
    scripted_server worse{{die_on_second, hang_up}};
    REQUIRE(f.send(call_to(worse.url())).has_value());
    const auto lost = f.send(call_to(worse.url()));
    REQUIRE_FALSE(lost.has_value());
    CHECK(lost.error().code == errc::unavailable);
    CHECK(worse.connections() == 2);
}

TEST_CASE("a request is never sent twice once a byte of its answer came") {
    const auto half = [](server_end& end) {
        (void)end.read_head();
        end.send(ok);
        (void)end.read_head();
        end.send("HTTP/1.1 2");
    };
    scripted_server server{{half, answering(ok)}};
    http_client_fixture f;
    REQUIRE(f.send(call_to(server.url())).has_value());
    const auto got = f.send(call_to(server.url()));
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::unavailable);
    CHECK(server.connections() == 1);
}

TEST_CASE("more calls than connections wait their turn, and no longer than the connect deadline") {
    using namespace asio::experimental::awaitable_operators;
    std::atomic<bool> hold{false};
    scripted_server server{{[&](server_end& end) {
        while (!end.read_head().empty()) {
            if (!hold) end.send(ok);
        }
    }}};
    net::http_client::options o;
    o.connections_per_peer = 1;
    http_client_fixture f{o};
    auto three = [&]() -> asio::awaitable<int> {
        auto all = f.client.send(call_to(server.url())) && f.client.send(call_to(server.url())) &&
                   f.client.send(call_to(server.url()));
        const auto [a, b, c] = co_await std::move(all);
        co_return int{a.has_value()} + int{b.has_value()} + int{c.has_value()};
    };
    CHECK(f.run(three()) == 3);
    CHECK(server.connections() == 1);

    hold = true;
    auto blocked = [&]() -> asio::awaitable<std::string> {
        auto slow = call_to(server.url());
        slow.deadlines.silence = 400ms;
        auto waiting = call_to(server.url());
        waiting.deadlines.connect = 100ms;
        auto both = f.client.send(slow) && f.client.send(waiting);
        const auto [a, b] = co_await std::move(both);
        co_return complaint(b);
    };
    CHECK(says(f.run(blocked()), "one of its 1 connections"));
}
