#include "tests/unit/server/server_fixture.hpp"

#include <atomic>
#include <thread>

using namespace sluice;
using namespace sluice::tests;

namespace {

using steady = std::chrono::steady_clock;

server::limits quick() {
    server::limits l;
    l.header_read = 300ms;
    l.body_read = 300ms;
    l.idle = 300ms;
    l.tls_handshake = 300ms;
    l.write = 300ms;
    l.linger = 300ms;
    return l;
}

// One byte at a time until the server answers or closes.
void drip(wire_client& client, std::string_view bytes) {
    for (const char c : bytes) {
        if (!client.send({&c, 1})) return;
        if (client.wait_readable(30ms)) return;
    }
}

} // namespace

TEST_CASE("headers that drip in are answered 408 at the deadline, not a byte later each time") {
    server_fixture fixture(quick());
    for (const auto& url : {fixture.http, fixture.https}) {
        wire_client client(url);
        REQUIRE(client.connected());
        const auto began = steady::now();
        drip(client, "POST /a/b/c HTTP/1.1\r\nHost: h\r\nX-Long: " + std::string(1000, 'x'));
        const auto answer = client.answer();
        REQUIRE(answer);
        CHECK(answer->status == 408);
        CHECK(steady::now() - began >= 300ms);
        CHECK(steady::now() - began < 5s);
        CHECK(client.closed());
    }
    CHECK(fixture.counted("sluice_http_timeouts_total", {}) == 2);
}

TEST_CASE("a body that drips in is answered 408 at its own deadline") {
    server_fixture fixture(quick());
    wire_client client(fixture.http);
    client.send("POST /a/b/c HTTP/1.1\r\nHost: h\r\nContent-Length: 1000\r\n\r\n");
    drip(client, std::string(1000, 'x'));
    const auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 408);
    CHECK(client.closed());
}

TEST_CASE("an idle connection is closed without a word, before and after a request") {
    server_fixture fixture(quick());
    for (const auto& url : {fixture.http, fixture.https}) {
        wire_client silent(url);
        CHECK(silent.closed());
        wire_client served(url);
        served.send(post("/a/b/c", "x"));
        REQUIRE(served.answer());
        CHECK(served.closed());
    }
}

TEST_CASE("a client that never finishes its handshake is closed at the deadline") {
    server_fixture fixture(quick());
    std::string plain = fixture.https;
    plain.erase(4, 1); // http:// to the TLS port
    wire_client client(plain);
    REQUIRE(client.connected());
    client.send("\x16\x03\x01\x02");
    CHECK(client.closed());
    CHECK(eventually([&] {
        return fixture.counted("sluice_tls_handshakes_total", {{"outcome", "failed"}}) == 1;
    }));
}

TEST_CASE("a peer that does not read its answer is given up") {
    server_fixture fixture(quick());
    for (const auto& url : {fixture.http, fixture.https}) {
        wire_client client(url);
        client.send(get("/big"));
        auto& open = fixture.registry.gauge("sluice_http_connections", "");
        REQUIRE(eventually([&] { return open.value() == 1; }));
        CHECK(eventually([&] { return open.value() == 0; }));
    }
}

TEST_CASE("a refused client that sends without end is cut off and keeps nobody waiting") {
    server_fixture fixture(quick(), 1);
    wire_client flood(fixture.http);
    std::atomic<bool> cut{false};
    std::thread sender([&] {
        const std::string bytes(100'000, 'x');
        flood.send("GET / HTTP/1.1\r\n\r\n");
        while (flood.send(bytes)) {
        }
        cut = true;
    });
    wire_client other(fixture.http);
    other.send(get("/hello"));
    CHECK(other.answer(5s));
    CHECK(eventually([&] { return cut.load(); }));
    sender.join();
}

TEST_CASE("slow clients do not slow down others") {
    auto l = quick();
    l.header_read = 10s;
    server_fixture fixture(l);
    std::vector<std::unique_ptr<wire_client>> slow;
    for (int i = 0; i < 200; ++i) {
        slow.push_back(std::make_unique<wire_client>(fixture.http));
        slow.back()->send("POST /a");
    }
    const auto began = steady::now();
    for (int i = 0; i < 50; ++i) {
        wire_client client(fixture.http);
        client.send(post("/a/b/c", "x"));
        REQUIRE(client.answer());
    }
    CHECK(steady::now() - began < 5s);
}
