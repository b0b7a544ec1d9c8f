#include "tests/unit/net/http_client_fixture.hpp"

#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

using namespace sluice;
using namespace sluice::tests;
namespace asio = boost::asio;

namespace {

void silence(server_end& end) {
    (void)end.wait_for_end();
}

net::http_call impatient(const std::string& url) {
    auto call = call_to(url);
    call.deadlines.connect = 150ms;
    call.deadlines.silence = 160ms;
    call.deadlines.total = 10s;
    return call;
}

} // namespace

TEST_CASE("a server that is silent before, in or after its head is left after the silence allowed"
) {
    for (const char* said : {
             "",
             "HTTP/1.1 200",
             "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n",
             "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
         }) {
        CAPTURE(said);
        scripted_server server{{[&](server_end& end) {
            (void)end.read_head();
            end.send(said);
            silence(end);
        }}};
        http_client_fixture f;
        const auto got = f.send(impatient(server.url()));
        REQUIRE_FALSE(got.has_value());
        CHECK(got.error().code == errc::timed_out);
        CHECK(
            got.error().message ==
            "no byte from 127.0.0.1:" + std::to_string(server.port()) + " for 160 ms"
        );
        CHECK(f.counted("timed_out") == 1);
    }
}

TEST_CASE("a server that accepts and never shakes hands is left after the connect deadline") {
    scripted_server server{{silence}};
    http_client_fixture f;
    const auto got = f.send(impatient("https://127.0.0.1:" + std::to_string(server.port())));
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::timed_out);
    CHECK(says(got.error().message, "within 150 ms: waited for the TLS handshake"));
}

TEST_CASE("a server that does not take the request is left after the silence allowed") {
    std::atomic<bool> over{false};
    scripted_server server{{[&](server_end&) { (void)eventually([&] { return over.load(); }); }}};
    http_client_fixture f;
    auto call = impatient(server.url());
    call.method = "POST";
    call.body = std::string(std::size_t{64} << 20U, 'x');
    const auto got = f.send(call);
    over = true;
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::timed_out);
    CHECK(says(got.error().message, "no byte from"));
}

TEST_CASE("a server that drips byte after byte is left after the time allowed in all") {
    scripted_server server{{[](server_end& end) {
        (void)end.read_head();
        end.send("HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n");
        while (end.send("x")) std::this_thread::sleep_for(10ms);
    }}};
    http_client_fixture f;
    auto call = impatient(server.url());
    call.deadlines.total = 300ms;
    const auto got = f.send(call);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::timed_out);
    CHECK(says(got.error().message, "within 300 ms in all"));
}

TEST_CASE("a server that floods without end is left after the time allowed in all") {
    scripted_server server{{[](server_end& end) {
        (void)end.read_head();
        end.send("HTTP/1.1 200 OK\r\n\r\n");
        const std::string bytes(1 << 20, 'x');
        while (end.send(bytes)) {
        }
    }}};
    http_client_fixture f;
    auto flood = [&]() -> asio::awaitable<error> {
        auto call = impatient(server.url());
        call.deadlines.total = 300ms;
        auto opened = co_await f.client.open(call);
        if (!opened) co_return opened.error();
        auto head = co_await (*opened)->answer();
        if (!head) co_return head.error();
        for (;;) {
            auto piece = co_await (*opened)->read();
            if (!piece) co_return piece.error();
        }
    };
    CHECK(f.run(flood()).code == errc::timed_out);
}

TEST_CASE("stopping ends what connects, waits and reads at once, and everything after") {
    using namespace asio::experimental::awaitable_operators;
    scripted_server silent{{silence}};
    scripted_server half{{[](server_end& end) {
        (void)end.read_head();
        end.send("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf");
        silence(end);
    }}};
    net::http_client::options o;
    o.connections_per_peer = 1;
    http_client_fixture f{o};
    asio::steady_timer soon{f.loop, 50ms};
    soon.async_wait([&](const boost::system::error_code&) { f.client.stop(); });
    auto all = [&]() -> asio::awaitable<std::vector<errc>> {
        auto calls = f.client.send(call_to("https://127.0.0.1:" + std::to_string(silent.port()))) &&
                     f.client.send(call_to(half.url())) && f.client.send(call_to(half.url()));
        auto [a, b, c] = co_await std::move(calls);
        auto late = co_await f.client.send(call_to(half.url()));
        std::vector<errc> codes;
        for (const auto* r : {&a, &b, &c, &late}) codes.push_back(r->error().code);
        co_return codes;
    };
    const auto start = std::chrono::steady_clock::now();
    CHECK(f.run(all()) == std::vector<errc>(4, errc::unavailable));
    CHECK(std::chrono::steady_clock::now() - start < 5s);
}

TEST_CASE("a caller that gives up leaves nothing behind that others would wait for") {
    using namespace asio::experimental::awaitable_operators;
    std::atomic<bool> hold{true};
    scripted_server server{{[&](server_end& end) {
        while (!end.read_head().empty()) {
            if (!hold) end.send(ok);
        }
    }}};
    net::http_client::options o;
    o.connections_per_peer = 1;
    http_client_fixture f{o};
    auto give_up = [&]() -> asio::awaitable<std::size_t> {
        asio::steady_timer soon{f.loop, 50ms};
        auto either = f.client.send(call_to(server.url())) ||
                      f.client.send(call_to(server.url())) || soon.async_wait(asio::use_awaitable);
        const auto first = co_await std::move(either);
        co_return first.index();
    };
    CHECK(f.run(give_up()) == 2);
    hold = false;
    const auto got = f.send(call_to(server.url()));
    INFO(complaint(got));
    CHECK(got.has_value());
    CHECK(f.counted("dropped") + f.counted("unavailable") == 2);
}
