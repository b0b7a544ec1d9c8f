#include "tests/unit/net/http_client_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

TEST_CASE("an answer is whole whether it ends by length, by chunks or with the connection") {
    const std::string big(300'000, 'x');
    struct row {
        std::string bytes;
        std::string body;
    };
    const row rows[] = {
        {"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;a=b\r\nhello\r\n1\r\n!\r\n0\r\nT: "
         "x\r\n\r\n",
         "hello!"},
        {"HTTP/1.1 200 OK\r\n\r\nto the end", "to the end"},
        {"HTTP/1.0 200 OK\r\n\r\nold", "old"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 300000\r\n\r\n" + big, big},
        {"HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\nHTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 "
         "OK\r\nContent-Length: 2\r\n\r\nok",
         "ok"},
    };
    for (const auto& r : rows) {
        scripted_server server{{[&](server_end& end) {
            (void)end.read_head();
            // In small pieces, so that every boundary falls somewhere inside.
            const std::size_t piece = r.bytes.size() > 1000 ? 5000 : 7;
            for (std::size_t at = 0; at < r.bytes.size(); at += piece) {
                end.send(std::string_view{r.bytes}.substr(at, piece));
            }
        }}};
        http_client_fixture f;
        const auto got = f.send(call_to(server.url()));
        INFO(complaint(got));
        REQUIRE(got.has_value());
        CHECK(got->status == 200);
        CHECK(got->body == r.body);
        CHECK(f.counted("2xx") == 1);
    }
}

TEST_CASE("a request carries what the call says and the length of its body") {
    notebook seen;
    scripted_server server{{[&](server_end& end) {
        seen.add(end.read_head());
        seen.add(end.read_bytes(7));
        end.send("HTTP/1.1 201 Created\r\nLocation: /x\r\nContent-Length: 0\r\n\r\n");
    }}};
    http_client_fixture f;
    auto call = call_to(server.url() + "/repos?token=t");
    call.method = "POST";
    call.body = "{\"a\":1}";
    call.headers = {{"Content-Type", "application/json"}};
    call.authorization = secret_string{"Bearer canary"};
    const auto got = f.send(call);
    REQUIRE(got.has_value());
    CHECK(got->status == 201);
    CHECK(got->header("location") == "/x");
    CHECK_FALSE(got->header("etag").has_value());
    REQUIRE(seen.all().size() == 2);
    const auto head = seen.all()[0];
    CHECK(head.starts_with("POST /repos?token=t HTTP/1.1\r\n"));
    CHECK(says(head, "Host: 127.0.0.1:" + std::to_string(server.port()) + "\r\n"));
    CHECK(says(head, "Content-Type: application/json\r\n"));
    CHECK(says(head, "Authorization: Bearer canary\r\n"));
    CHECK(says(head, "Content-Length: 7\r\n"));
    CHECK(says(head, "User-Agent: "));
    CHECK(seen.all()[1] == "{\"a\":1}");
}

TEST_CASE("a redirect and a refusal are answers, not errors, and nobody is followed") {
    scripted_server elsewhere{{answering(ok)}};
    scripted_server server{{answering(
        "HTTP/1.1 302 Found\r\nLocation: " + elsewhere.url() + "\r\nContent-Length: 0\r\n\r\n"
    )}};
    http_client_fixture f;
    const auto got = f.send(call_to(server.url()));
    REQUIRE(got.has_value());
    CHECK(got->status == 302);
    CHECK(elsewhere.connections() == 0);
    CHECK(f.counted("3xx") == 1);
}

TEST_CASE("the answer to HEAD has no body whatever length it tells") {
    scripted_server server{{answering("HTTP/1.1 200 OK\r\nContent-Length: 100000000\r\n\r\n")}};
    http_client_fixture f;
    auto call = call_to(server.url());
    call.method = "HEAD";
    const auto got = f.send(call);
    REQUIRE(got.has_value());
    CHECK(got->body.empty());
}

TEST_CASE("an answer larger than allowed is refused, announced or not") {
    for (const std::string bytes : {
             "HTTP/1.1 200 OK\r\nContent-Length: 1001\r\n\r\n",
             "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3e9\r\n",
             "HTTP/1.1 200 OK\r\n\r\n",
         }) {
        scripted_server server{{answering(bytes + std::string(1001, 'x'))}};
        http_client_fixture f;
        auto call = call_to(server.url());
        call.largest_answer = 1000;
        const auto got = f.send(call);
        REQUIRE_FALSE(got.has_value());
        CHECK(got.error().code == errc::payload_too_large);
        CHECK(says(got.error().message, "127.0.0.1"));
        CHECK(f.counted("payload_too_large") == 1);
    }
}

TEST_CASE("a head without end is refused, of an answer and of a chunk") {
    struct row {
        const char* begin;
        std::string more;
    };
    const row rows[] = {
        {"HTTP/1.1 200 OK\r\n", "X-More: " + std::string(1000, 'x') + "\r\n"},
        {"HTTP/1.1 200 OK\r\nX-More: ", std::string(1000, 'x')},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5;more=", std::string(1000, 'x')},
    };
    for (const auto& r : rows) {
        scripted_server server{{[&](server_end& end) {
            (void)end.read_head();
            end.send(r.begin);
            while (end.send(r.more)) {
            }
        }}};
        http_client_fixture f;
        const auto got = f.send(call_to(server.url()));
        REQUIRE_FALSE(got.has_value());
        INFO(got.error().message);
        CHECK(got.error().code == errc::payload_too_large);
    }
}

TEST_CASE("what is not HTTP, is cut off or never comes is unavailable and says which") {
    struct row {
        const char* bytes;
        const char* told;
    };
    const row rows[] = {
        {"SSH-2.0-OpenSSH_9.2\r\n\r\n", "is not HTTP"},
        {"HTTP/1.1 200 OK\r\nContent-Length: x\r\n\r\n", "is not HTTP"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "is not HTTP"},
        {"HTTP/1.1 101 Switching Protocols\r\n\r\n", "answers 101"},
        {"HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nhalf", "in the middle of its answer"},
        {"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhel",
         "in the middle of its answer"},
        {"HTTP/1.1 200", "in the middle of its answer"},
        {"", "without an answer"},
    };
    for (const auto& r : rows) {
        CAPTURE(r.bytes);
        scripted_server server{{[&](server_end& end) {
            (void)end.read_head();
            end.send(r.bytes);
        }}};
        http_client_fixture f;
        auto call = call_to(server.url() + "/path?canary");
        call.authorization = secret_string{"canary"};
        const auto got = f.send(call);
        REQUIRE_FALSE(got.has_value());
        CHECK(got.error().code == errc::unavailable);
        INFO(got.error().message);
        CHECK(says(got.error().message, r.told));
        CHECK_FALSE(says(got.error().message, "canary"));
        CHECK(f.counted("unavailable") == 1);
        CHECK(server.connections() == 1); // a new connection is not tried again
    }
}

TEST_CASE("interim answers without end are not listened to for ever") {
    scripted_server server{{[](server_end& end) {
        (void)end.read_head();
        while (end.send("HTTP/1.1 102 Processing\r\n\r\n")) {
        }
    }}};
    http_client_fixture f;
    const auto got = f.send(call_to(server.url()));
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::unavailable);
}

TEST_CASE("nobody listening and no such name are unavailable and name the host") {
    std::string gone;
    {
        scripted_server server{{answering(ok)}};
        gone = server.url();
    }
    http_client_fixture f;
    const auto refused = f.send(call_to(gone));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().code == errc::unavailable);
    CHECK(says(refused.error().message, "127.0.0.1"));
    const auto unknown = f.send(call_to("http://no-such-host.invalid/"));
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().code == errc::unavailable);
    CHECK(says(unknown.error().message, "no-such-host.invalid"));
}

TEST_CASE("what would end its line in the head is never sent") {
    scripted_server server{{answering(ok)}};
    http_client_fixture f;
    const auto refused = [&](const auto& spoil) {
        auto call = call_to(server.url());
        spoil(call);
        const auto got = f.send(std::move(call));
        return !got && got.error().code == errc::invalid_argument;
    };
    CHECK(refused([](auto& c) { c.method = "GET / HTTP/1.1\r\nX: y"; }));
    CHECK(refused([](auto& c) { c.url.target = "/a b"; }));
    CHECK(refused([](auto& c) { c.url.target = "/a\r\nX: y"; }));
    CHECK(refused([](auto& c) { c.headers = {{"X", "a\r\nY: b"}}; }));
    CHECK(refused([](auto& c) { c.headers = {{"X\r\n", "a"}}; }));
    CHECK(refused([](auto& c) { c.authorization = secret_string{"Bearer x\nY: b"}; }));
    CHECK(server.connections() == 0);
}
