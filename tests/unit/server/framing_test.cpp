#include "server/request_reader.hpp"
#include "tests/unit/server/framing_vectors.hpp"
#include "tests/unit/server/server_fixture.hpp"

#include <string>

using namespace sluice;
using namespace sluice::server;
using namespace sluice::tests;
using state = request_reader::state;

namespace {

int outcome_of(const request_reader& reader) {
    return reader.where() == state::refused ? static_cast<int>(reader.refusal().code) : -1;
}

errc errc_of(int status) {
    if (status == 413) return errc::payload_too_large;
    if (status == 431) return errc::headers_too_large;
    return errc::invalid_argument;
}

} // namespace

TEST_CASE("a doubtful request is refused however its bytes are cut, a clear one is read whole") {
    const limits bounds;
    for (const auto& v : framing_vectors()) {
        body_budget budget(std::size_t{64} << 20U);
        const std::size_t steps[] = {v.bytes.size(), 1, 7};
        for (const std::size_t step : steps) {
            if (step < 100 && v.bytes.size() > 100'000) continue;
            INFO(v.name << ", " << step << " bytes at a time");
            request_reader reader(bounds, budget);
            std::size_t at = 0;
            while (!reader.done() && at < v.bytes.size()) {
                const auto piece = std::string_view(v.bytes).substr(at, step);
                const auto used = reader.feed(piece);
                if (!reader.done()) REQUIRE(used == piece.size());
                at += used;
            }
            if (v.status == 0) {
                REQUIRE(outcome_of(reader) == -1);
                REQUIRE(reader.where() == state::complete);
                CHECK(reader.request().body == v.body);
                CHECK(at == v.bytes.size());
            } else {
                REQUIRE(reader.where() == state::refused);
                CHECK(reader.refusal().code == errc_of(v.status));
                CHECK_FALSE(reader.keep_alive());
                CHECK_FALSE(reader.refusal().detail.empty());
            }
        }
        CHECK(budget.used() == 0);
    }
}

TEST_CASE("after a refusal the server says why and closes, after a clear request it goes on") {
    tests::server_fixture fixture;
    for (const auto& v : framing_vectors()) {
        INFO(v.name);
        tests::wire_client client(fixture.http);
        REQUIRE(client.connected());
        client.send(v.bytes);
        auto answer = client.answer();
        REQUIRE(answer);
        if (answer->status == 100) answer = client.answer();
        REQUIRE(answer);
        if (v.status == 0) {
            CHECK(answer->status != 400);
            const bool http10 = v.bytes.find("HTTP/1.0") != std::string::npos;
            CHECK((answer->headers.count("connection") == 1) == http10);
            if (http10) {
                CHECK(client.closed());
            } else {
                client.send(tests::post("/a/b/c", "next"));
                const auto next = client.answer();
                REQUIRE(next);
                CHECK(next->status == 202);
                CHECK(next->body == "next");
            }
        } else {
            CHECK(answer->status == v.status);
            CHECK(answer->headers["connection"] == "close");
            CHECK(answer->headers["content-type"] == "application/problem+json");
            CHECK(client.closed());
        }
    }
    CHECK(fixture.counted("sluice_http_framing_errors_total", {}) > 60);
}

TEST_CASE("a request gives its path, query, headers and length as they were sent") {
    const limits bounds;
    body_budget budget(1'000'000);
    request_reader reader(bounds, budget);
    const std::string first =
        "POST /a%2Fb/c?sig=x&y HTTP/1.1\r\nHost: h:1\r\nX-Sig: 1\r\nx-sig:  2 \r\n"
        "Content-Length: 2\r\n\r\nhi";
    const std::string both = first + "GET / HTTP/1.1\r\n";
    CHECK(reader.feed(both) == first.size());
    REQUIRE(reader.where() == state::complete);
    auto& request = reader.request();
    CHECK(request.method == "POST");
    CHECK(request.path == "/a%2Fb/c");
    CHECK(request.query == "sig=x&y");
    CHECK(request.header("X-SIG") == "1");
    CHECK(request.all("x-Sig").size() == 2);
    CHECK(request.all("x-Sig")[1] == "2");
    CHECK_FALSE(request.header("absent"));
    CHECK(request.body == "hi");
}

TEST_CASE("the absolute form of a target gives the same path as the origin form") {
    const limits bounds;
    const std::pair<const char*, const char*> cases[] = {
        {"http://h/a/b?q=1", "/a/b"},
        {"HTTPS://h:8443/a", "/a"},
        {"http://h", "/"},
        {"http://h?q", "/"},
        {"*", "*"},
    };
    for (const auto& [target, path] : cases) {
        INFO(target);
        body_budget budget(1000);
        request_reader reader(bounds, budget);
        const std::string bytes = "GET " + std::string(target) + " HTTP/1.1\r\nHost: h\r\n\r\n";
        CHECK(reader.feed(bytes) == bytes.size());
        REQUIRE(reader.where() == state::complete);
        CHECK(reader.request().path == path);
    }
}
