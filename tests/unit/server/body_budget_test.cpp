#include "server/request_reader.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/server/framing_vectors.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>

using namespace sluice;
using namespace sluice::server;
using namespace sluice::tests;
using state = request_reader::state;

namespace {

constexpr std::size_t free_of_charge = 4096;

std::string announced(std::size_t length) {
    return request_with("Content-Length: " + std::to_string(length) + "\r\n");
}

std::string one_chunk(const std::string& content) {
    return fmt::format("{:x}\r\n{}\r\n", content.size(), content);
}

// Whole reads of a connection, as the session feeds them.
void feed(request_reader& reader, const std::string& bytes) {
    constexpr std::size_t read = 16'384;
    for (std::size_t at = 0; at < bytes.size() && !reader.done(); at += read) {
        (void)reader.feed(std::string_view{bytes}.substr(at, read));
    }
}

} // namespace

TEST_CASE("a body that is only announced costs nothing, so the silent cannot shut out the others") {
    const limits bounds;
    body_budget budget(0);
    request_reader reader(bounds, budget);
    feed(reader, announced(bounds.body_bytes));
    CHECK(reader.where() == state::body);
    CHECK(budget.used() == 0);
}

TEST_CASE("an ordinary event is read while others hold the whole budget") {
    const limits bounds;
    body_budget budget(0);
    const std::string body(free_of_charge, 'x');
    request_reader plain(bounds, budget);
    feed(plain, announced(body.size()) + body);
    CHECK(plain.where() == state::complete);
    request_reader chunked(bounds, budget);
    feed(chunked, chunked_request(one_chunk(body.substr(0, 2'000)) + "0\r\n\r\n"));
    CHECK(chunked.where() == state::complete);
    CHECK(budget.used() == 0);
}

TEST_CASE("a body is charged for what it takes while it arrives, and never for more than its length"
) {
    const limits bounds;
    body_budget budget(bounds.body_bytes - free_of_charge); // to the byte
    request_reader reader(bounds, budget);
    const std::string body(bounds.body_bytes, 'x');
    feed(reader, announced(body.size()) + body.substr(0, 100'000));
    CHECK(budget.used() >= 100'000 - free_of_charge);
    CHECK(budget.used() <= 2 * 100'000);
    feed(reader, body.substr(100'000));
    REQUIRE(reader.where() == state::complete);
    CHECK(reader.request().body == body);
    CHECK(budget.used() == body.size() - free_of_charge);
    reader.request().drop_body();
    CHECK(reader.request().body.empty());
    CHECK(budget.used() == 0);
}

TEST_CASE("bodies beyond the common budget are refused as they arrive, and the budget comes back") {
    const limits bounds;
    body_budget budget(20'000);
    std::optional<request_reader> first;
    first.emplace(bounds, budget);
    const std::string body(16'000, 'x');
    feed(*first, announced(50'000) + body);
    CHECK(first->where() == state::body);

    request_reader second(bounds, budget);
    feed(second, announced(body.size()) + body);
    REQUIRE(second.where() == state::refused);
    CHECK(second.refusal().code == errc::unavailable);
    CHECK(second.refusal().retry_after == std::chrono::seconds{1});

    request_reader third(bounds, budget);
    feed(third, chunked_request(one_chunk(body)));
    CHECK(third.where() == state::refused);

    first.reset();
    CHECK(budget.used() == 0);
    request_reader fourth(bounds, budget);
    feed(fourth, announced(body.size()) + body);
    CHECK(fourth.where() == state::complete);
}

TEST_CASE("fat headers that are held open count against the budget, common ones do not") {
    const limits bounds;
    body_budget budget(20'000);
    const std::string common = "GET /a HTTP/1.1\r\nHost: h\r\nX: " + std::string(3'000, 'x');
    request_reader small(bounds, budget);
    CHECK(small.feed(common) == common.size());
    CHECK(budget.used() == 0);

    const std::string fat = common + std::string(20'000, 'x');
    std::optional<request_reader> first;
    first.emplace(bounds, budget);
    CHECK(first->feed(fat) == fat.size());
    CHECK(budget.used() == fat.size() - 4096);
    request_reader second(bounds, budget);
    (void)second.feed(fat);
    REQUIRE(second.where() == state::refused);
    CHECK(second.refusal().code == errc::unavailable);
    first.reset();
    CHECK(budget.used() == 0);
}

TEST_CASE("a fat head is paid for as long as it is there, also after its body was dropped") {
    const limits bounds;
    body_budget budget(100'000);
    const std::string fat = "X: " + std::string(20'000, 'x') + "\r\n";
    const std::string body(10'000, 'x');
    const auto head = request_with(fat + "Content-Length: 10000\r\n");
    std::optional<request_reader> reader;
    reader.emplace(bounds, budget);
    feed(*reader, head + body);
    REQUIRE(reader->where() == state::complete);
    reader->request().drop_body(); // while a 401 waits for its time
    CHECK(budget.used() == head.size() - free_of_charge);
    reader.reset();
    CHECK(budget.used() == 0);
}
