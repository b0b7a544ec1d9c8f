#include "tests/unit/server/server_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

TEST_CASE("a million header bytes are answered 431 and the connection ends") {
    server_fixture fixture;
    for (const auto& url : {fixture.http, fixture.https}) {
        wire_client client(url);
        client.send(
            "GET /hello HTTP/1.1\r\nHost: h\r\nX: " + std::string(1'000'000, 'x') + "\r\n\r\n"
        );
        const auto answer = client.answer();
        REQUIRE(answer);
        CHECK(answer->status == 431);
        CHECK(client.closed());
    }
}

TEST_CASE("headers up to the limit are read") {
    server_fixture fixture;
    wire_client client(fixture.https);
    client.send(get("/hello", "X: " + std::string(60'000, 'x') + "\r\n"));
    const auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
}

TEST_CASE("a head of very many short fields is answered 431, for each costs more than its bytes") {
    server_fixture fixture;
    const auto fields = [](int count) {
        std::string all;
        for (int i = 0; i < count; ++i) all += "a:\r\n";
        return all;
    };
    wire_client client(fixture.http);
    client.send(get("/hello", fields(255))); // and Host
    auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
    client.send(get("/hello", "X-Request-Id: find-me\r\n" + fields(255)));
    answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 431);
    CHECK(answer->headers["x-request-id"] == "find-me");
    CHECK(client.closed());
}

TEST_CASE("a body that announces itself too large is refused before it is sent") {
    server_fixture fixture;
    wire_client client(fixture.https);
    client.send("POST /a/b/c HTTP/1.1\r\nHost: h\r\nContent-Length: 3145729\r\n\r\n");
    const auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 413);
    CHECK(client.closed());
}

TEST_CASE("a client that sends too large a body without looking still reads the 413") {
    server_fixture fixture;
    wire_client client(fixture.http);
    client.send(post("/a/b/c", std::string(3'500'000, 'x')));
    const auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 413);
}

TEST_CASE("a body of exactly the limit is taken") {
    server_fixture fixture;
    wire_client client(fixture.https);
    const std::string body(std::size_t{3} << 20U, 'y');
    client.send(post("/a/b/c", body));
    const auto answer = client.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
    CHECK(answer->body == body);
}

TEST_CASE("when bodies in memory reach their budget the next one gets 503 with Retry-After, later "
          "ones pass") {
    server::limits l;
    l.unverified_bytes = 100'000;
    server_fixture fixture(l);
    fixture.hold = true;
    wire_client first(fixture.https);
    first.send(post("/held", std::string(90'000, 'x')));
    REQUIRE(eventually([&] { return fixture.entered == 1; }));
    wire_client second(fixture.https);
    second.send(post("/a/b/c", std::string(20'000, 'x')));
    auto answer = second.answer();
    REQUIRE(answer);
    CHECK(answer->status == 503);
    CHECK(answer->headers["retry-after"] == "1");

    fixture.hold = false;
    REQUIRE(first.answer());
    wire_client third(fixture.https);
    third.send(post("/a/b/c", std::string(20'000, 'x')));
    answer = third.answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
}

TEST_CASE("above the connections of one address a client is told 503, and is let in when one leaves"
) {
    server::limits l;
    l.connections_per_address = 3;
    server_fixture fixture(l);
    std::vector<std::unique_ptr<wire_client>> open;
    for (int i = 0; i < 3; ++i) {
        open.push_back(std::make_unique<wire_client>(fixture.https));
        open.back()->send(get("/hello"));
        REQUIRE(open.back()->answer());
    }
    for (const auto& url : {fixture.http, fixture.https}) {
        wire_client refused(url);
        refused.send(get("/hello"));
        auto answer = refused.answer();
        REQUIRE(answer);
        CHECK(answer->status == 503);
        CHECK(answer->headers["retry-after"] == "1");
        CHECK(answer->headers["connection"] == "close");
        CHECK(refused.closed());
    }
    CHECK(fixture.counted("sluice_http_connections_refused_total", {{"reason", "address"}}) == 2);
    open.clear();
    CHECK(eventually([&] {
        wire_client client(fixture.https);
        client.send(get("/hello"));
        const auto answer = client.answer();
        return answer && answer->status == 202;
    }));
}

TEST_CASE("above all connections further ones are refused, and beyond the refusals closed at once"
) {
    server::limits l;
    l.connections = 2;
    l.refusals = 1;
    server_fixture fixture(l);
    wire_client first(fixture.http);
    wire_client second(fixture.http);
    auto& open = fixture.registry.gauge("sluice_http_connections", "");
    REQUIRE(eventually([&] { return open.value() == 2; }));
    wire_client told(fixture.http);
    const auto answer = told.answer();
    REQUIRE(answer);
    CHECK(answer->status == 503);
    wire_client closed(fixture.http); // while the one before still lingers
    CHECK(closed.closed());
    CHECK(fixture.counted("sluice_http_connections_refused_total", {{"reason", "total"}}) == 2);
}

TEST_CASE("near the cap answers end their connection so that idle ones do not fill it") {
    server::limits l;
    l.connections = 4;
    server_fixture fixture(l);
    std::vector<std::unique_ptr<wire_client>> clients;
    for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<wire_client>(fixture.http));
    auto& open = fixture.registry.gauge("sluice_http_connections", "");
    REQUIRE(eventually([&] { return open.value() == 4; }));
    clients[0]->send(get("/hello"));
    auto answer = clients[0]->answer();
    REQUIRE(answer);
    CHECK(answer->status == 202);
    CHECK(answer->headers["connection"] == "close");
    CHECK(clients[0]->closed());
}
