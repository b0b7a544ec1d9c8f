#include "tests/unit/server/server_fixture.hpp"

#include <sys/stat.h>

#include <thread>

using namespace sluice;
using namespace sluice::tests;

namespace {

boost::asio::awaitable<http::response> tell_channel(http::channel came_by, http::channel& seen) {
    seen = came_by;
    co_return http::response{200, "text/plain", "control"};
}

boost::asio::awaitable<http::response>
block_thread(std::atomic<bool>& inside, const std::atomic<bool>& block) {
    inside = true;
    while (block) std::this_thread::yield();
    co_return http::response{200};
}

} // namespace

TEST_CASE("requests sent without waiting are answered in their order") {
    server_fixture fixture;
    for (const auto& url : {fixture.http, fixture.https}) {
        wire_client client(url);
        std::string all;
        for (int i = 0; i < 100; ++i) all += post("/a/b/c", "body " + std::to_string(i));
        client.send(all);
        for (int i = 0; i < 100; ++i) {
            const auto answer = client.answer();
            REQUIRE(answer);
            CHECK(answer->status == 202);
            CHECK(answer->body == "body " + std::to_string(i));
        }
    }
}

TEST_CASE("a client that waits for 100 Continue is told to go on, one that does not is not told") {
    server_fixture fixture;
    wire_client client(fixture.https);
    client.send(
        "POST /a/b/c HTTP/1.1\r\nHost: h\r\nExpect: 100-Continue\r\nContent-Length: 3\r\n\r\n"
    );
    auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 100);
    client.send("abc");
    answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
    CHECK(answer->body == "abc");

    client.send(post("/a/b/c", "at once", "Expect: 100-continue\r\n"));
    answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
    CHECK(answer->body == "at once");
}

TEST_CASE("the connection ends when the client asks for it, in any spelling, and with HTTP/1.0") {
    server_fixture fixture;
    const std::string requests[] = {
        get("/hello", "Connection: close\r\n"),
        get("/hello", "Connection: Keep-Alive, CLOSE\r\n"),
        "GET /hello HTTP/1.0\r\n\r\n",
        "GET /hello HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    };
    for (const auto& url : {fixture.http, fixture.https}) {
        for (const auto& request : requests) {
            INFO(request);
            wire_client client(url);
            client.send(request);
            auto answer = client.answer();
            REQUIRE(answer);
            CHECK(answer->status == 202);
            CHECK(answer->headers["connection"] == "close");
            CHECK(client.closed());
        }
    }
}

TEST_CASE("HEAD gives what GET would, without the body") {
    server_fixture fixture;
    wire_client client(fixture.https);
    client.send("HEAD /held HTTP/1.1\r\nHost: h\r\n\r\n");
    auto answer = client.answer(10s, true);
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->headers["content-length"] == "4");
    client.send(get("/hello"));
    answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
}

TEST_CASE("unknown paths, methods and escapes are problems that keep the connection") {
    server_fixture fixture;
    wire_client client(fixture.https);
    client.send(get("/nothing/here"));
    auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 404);
    CHECK(answer->headers["content-type"] == "application/problem+json");
    client.send(get("/a/b/c"));
    answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 405);
    CHECK(answer->headers["allow"] == "POST");
    client.send(post("/a/b/%zz", ""));
    answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 400);
    client.send(post("/a/b/c", "still here"));
    answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->body == "still here");
    CHECK(
        fixture.counted("sluice_http_requests_total", {{"route", "event"}, {"status", "2xx"}}) == 1
    );
    CHECK(
        fixture.counted("sluice_http_requests_total", {{"route", "none"}, {"status", "4xx"}}) == 3
    );
}

TEST_CASE("a handler that throws costs a 500 that tells no secret, not the connection") {
    server_fixture fixture;
    wire_client client(fixture.https);
    client.send(get("/fail", "X-Request-Id: find-me\r\n"));
    auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 500);
    CHECK(answer->body.find("canary") == std::string::npos);
    CHECK(answer->body.find("find-me") != std::string::npos);
    CHECK(answer->headers["x-request-id"] == "find-me");
    client.send(get("/hello"));
    CHECK(client.answer());
}

TEST_CASE("a peer that vanishes in the middle of its answer takes nothing else with it") {
    server_fixture fixture;
    for (const auto& url : {fixture.http, fixture.https}) {
        for (int i = 0; i < 10; ++i) {
            wire_client gone(url);
            gone.send(get("/big"));
            REQUIRE(gone.wait_readable(10s));
            gone.vanish();
        }
        wire_client client(url);
        client.send(get("/hello"));
        CHECK(client.answer());
    }
    auto& open = fixture.registry.gauge("sluice_http_connections", "");
    CHECK(eventually([&] { return open.value() == 0; }));
}

TEST_CASE("stopping finishes the request in hand and closes what is idle") {
    server_fixture fixture;
    fixture.hold = true;
    wire_client idle(fixture.https);
    idle.send(get("/hello"));
    REQUIRE(idle.answer());
    wire_client busy(fixture.https);
    busy.send(get("/held"));
    REQUIRE(eventually([&] { return fixture.entered == 1; }));

    bool finished = false;
    std::thread stopping([&] { finished = fixture.stop(20s); });
    CHECK(idle.closed());
    CHECK(eventually([&] {
        wire_client late(fixture.http);
        return !late.connected() || !late.send(get("/hello")) || !late.answer(200ms);
    }));
    fixture.hold = false;
    auto answer = busy.answer();
    stopping.join();
    REQUIRE(answer);
    CHECK(answer->status == 200);
    CHECK(answer->headers["connection"] == "close");
    CHECK(finished);
}

TEST_CASE("stopping gives up when the grace has passed") {
    server_fixture fixture;
    fixture.hold = true;
    wire_client busy(fixture.https);
    busy.send(get("/held"));
    REQUIRE(eventually([&] { return fixture.entered == 1; }));
    CHECK_FALSE(fixture.stop(100ms));
}

TEST_CASE("the control socket serves the same routes to its owner alone") {
    temp_folder folder;
    observe::registry registry;
    http::channel seen = http::channel::https;
    auto see = [&seen](http::request& r, const server::params&) {
        return tell_channel(r.channel, seen);
    };
    const server::router routes({{"GET", "/hello", "hello", see}});
    const auto path = folder.path() / "control.sock";
    for (int start = 0; start < 2; ++start) { // the second finds the file of the first in its way
        server::http_server server({}, 2, registry);
        const auto url = server.listen("unix:" + path.string(), routes);
        REQUIRE(url.has_value());
        server.start();
        struct stat file{};
        REQUIRE(::stat(path.c_str(), &file) == 0);
        CHECK((file.st_mode & 0777U) == 0600U);
        wire_client client(*url);
        client.send(get("/hello"));
        const auto answer = client.answer();
        REQUIRE(answer);
        CHECK(answer->body == "control");
        CHECK(server.stop(5s));
        CHECK(seen == http::channel::control);
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("a port that another server holds is an error that says so") {
    server_fixture fixture;
    observe::registry registry;
    const server::router routes({});
    server::http_server other({}, 1, registry);
    const auto taken = other.listen(fixture.http, routes);
    REQUIRE_FALSE(taken.has_value());
    CHECK(taken.error().message.find("another program listens there") != std::string::npos);
    CHECK_FALSE(other.listen("https://127.0.0.1:0", routes).has_value());
}

TEST_CASE("a loop that comes round tells so, one that is blocked falls silent") {
    observe::registry registry;
    std::atomic<bool> block{true};
    std::atomic<bool> inside{false};
    auto wedge = [&](http::request&, const server::params&) { return block_thread(inside, block); };
    const server::router routes({{"GET", "/wedge", "wedge", wedge}});
    server::http_server server({}, 2, registry);
    const auto url = server.listen("http://127.0.0.1:0", routes);
    REQUIRE(url.has_value());
    server.start();
    CHECK(server.silent_for() < 2s);
    wire_client client(*url);
    client.send(get("/wedge"));
    REQUIRE(eventually([&] { return inside.load(); }));
    CHECK(eventually([&] { return server.silent_for() > 600ms; }));
    block = false;
    CHECK(client.answer());
    CHECK(eventually([&] { return server.silent_for() < 600ms; }));
    // A loop that is done hangs nowhere, however long the others still drain.
    CHECK(server.stop(2s));
    CHECK_FALSE(eventually([&] { return server.silent_for() > 0ms; }, 20ms));
}

TEST_CASE("many clients on many loops are all answered") {
    server_fixture fixture({}, 3);
    std::atomic<int> answered{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&, t] {
            for (int i = 0; i < 25; ++i) {
                wire_client client(t % 2 == 0 ? fixture.https : fixture.http);
                for (int k = 0; k < 4; ++k) {
                    client.send(post("/a/b/c", std::to_string(t * 1000 + i)));
                    const auto answer = client.answer();
                    if (answer && answer->body == std::to_string(t * 1000 + i)) ++answered;
                }
            }
        });
    }
    for (auto& t : threads) t.join();
    CHECK(answered == 400);
    CHECK(fixture.stop(10s));
}
