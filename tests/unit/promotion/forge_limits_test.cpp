#include "promotion/forge/rate_limits.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/promotion/forge_fixture.hpp"

namespace sluice::promotion::forge {
namespace {

using namespace std::chrono_literals;

net::http_answer answer(
    int status, std::vector<std::pair<std::string, std::string>> headers, std::string body = ""
) {
    net::http_answer a;
    a.status = status;
    a.headers = std::move(headers);
    a.body = std::move(body);
    return a;
}

const time_point start = tests::noon;

std::chrono::seconds wait_after(const std::vector<net::http_answer>& answers) {
    quota q;
    for (const auto& a : answers) q.learn(read_quota(a, start), start);
    return q.wait(start);
}

} // namespace

TEST_CASE("never more writes in any minute or hour than the forge takes") {
    write_window w{{3, 5, 0ms}};
    CHECK(w.wait(start) == 0ms);
    for (int i = 0; i < 3; ++i) w.began(start + i * 1s);
    CHECK(w.left_in_minute(start + 2s) == 0);
    CHECK(w.wait(start + 2s) == 58s);
    CHECK(w.wait(start + 60s) == 0ms);
    w.began(start + 60s);
    w.began(start + 61s);
    CHECK(w.left_in_hour(start + 61s) == 0);
    CHECK(w.wait(start + 70min) == 0ms);
    CHECK(w.wait(start + 2min) == 58min);
}

TEST_CASE("two writes are kept apart, from the end of one to the begin of the next") {
    write_window w{{80, 500, 1000ms}};
    w.began(start);
    w.ended(start + 3s);
    CHECK(w.pause(start + 3s) == 1000ms);
    CHECK(w.pause(start + 3400ms) == 600ms);
    CHECK(w.wait(start + 4s) == 0ms);
    CHECK(w.pause(start - 1h) == 1000ms); // the clock was set back
}

TEST_CASE("how long to stay away is what the forge says, else a minute that doubles") {
    const auto secondary =
        answer(403, {}, R"({"message":"You have exceeded a secondary rate limit."})");
    CHECK(wait_after({answer(429, {{"Retry-After", "30"}})}) == 30s);
    CHECK(wait_after({answer(403, {{"Retry-After", "30"}})}) == 30s);
    CHECK(wait_after({answer(429, {{"Retry-After", "Mon, 21 Sep 2026 14:15:00 GMT"}})}) == 100s);
    CHECK(
        wait_after(
            {answer(403, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1790000600"}})}
        ) == 600s
    );
    CHECK(
        wait_after({answer(429, {{"RateLimit-Remaining", "0"}, {"RateLimit-Reset", "25"}})}) == 25s
    );
    CHECK(wait_after({secondary}) == 60s);
    CHECK(wait_after({secondary, secondary}) == 120s);
    CHECK(wait_after({secondary, secondary, secondary}) == 240s);
    CHECK(wait_after({secondary, answer(200, {}), secondary}) == 60s);
    CHECK(wait_after({answer(429, {})}) == 60s);
    CHECK(wait_after({answer(429, {{"Retry-After", "999999999"}})}) == 3600s);
    CHECK(wait_after({answer(429, {{"Retry-After", "soon"}})}) == 60s);
    CHECK(
        wait_after(
            {answer(200, {{"x-ratelimit-remaining", "0"}, {"x-ratelimit-reset", "1790000600"}})}
        ) == 600s
    );
    CHECK(
        wait_after({answer(200, {{"x-ratelimit-remaining", "0"}})}) == 0s
    ); // Bitbucket fills up all the time
    CHECK(wait_after({answer(403, {}, R"({"message":"Must have admin rights"})")}) == 0s);
    CHECK(
        wait_after({answer(403, {{"x-ratelimit-remaining", "17"}}, R"({"message":"no"})")}) == 0s
    );
}

TEST_CASE("kept answers are found until room is needed for newer ones") {
    etag_cache cache{60};
    const auto entry = [](const std::string& url, std::size_t size) {
        return etag_cache::entry{url, "e", std::string(size, 'x')};
    };
    cache.keep(entry("a", 18));
    cache.keep(entry("b", 18));
    cache.keep(entry("c", 18));
    REQUIRE(cache.find("a") != nullptr); // used again
    cache.keep(entry("d", 18));
    CHECK(cache.find("a") != nullptr);
    CHECK(cache.find("b") == nullptr);
    CHECK(cache.find("d") != nullptr);
    cache.keep(entry("a", 100)); // too large, and the old one no longer holds
    CHECK(cache.find("a") == nullptr);
    cache.drop("d");
    CHECK(cache.find("d") == nullptr);
}

TEST_CASE("writes to GitHub go one after the other, apart from each other") {
    struct fixture : tests::forge_fixture {
        fixture() : forge_fixture(pipeline::forge::github, "github", "/org/fleet") {}
    } f;
    rate_limits limits{f.time, f.metrics, {80, 500, 50ms}};
    const auto account = limits.of(pipeline::forge::github, "github.example", "token 1");
    CHECK(account == limits.of(pipeline::forge::github, "github.example", "token 1"));
    CHECK(account != limits.of(pipeline::forge::github, "github.example", "token 2"));

    auto first = f.run(account->write_turn());
    REQUIRE(first);
    bool second_began = false;
    const auto second = [&]() -> boost::asio::awaitable<void> {
        auto turn = co_await account->write_turn();
        second_began = turn.has_value();
    };
    auto done = boost::asio::co_spawn(f.loop, second, boost::asio::use_future);
    f.loop.restart();
    f.loop.run_for(100ms);
    CHECK_FALSE(second_began);
    const auto released = std::chrono::steady_clock::now();
    first->reset();
    f.loop.restart();
    while (done.wait_for(0s) != std::future_status::ready && f.loop.run_one_for(20s) > 0) {
    }
    CHECK(second_began);
    CHECK(std::chrono::steady_clock::now() - released >= 50ms);
}

TEST_CASE("a queue of writes that would take too long is told to come back, not kept waiting") {
    struct fixture : tests::forge_fixture {
        fixture() : forge_fixture(pipeline::forge::github, "github", "/org/fleet") {}
    } f;
    rate_limits limits{f.time, f.metrics, {80, 500, 20s}};
    const auto account = limits.of(pipeline::forge::github, "github.example", "token 1");
    const auto first = f.run(account->write_turn());
    REQUIRE(first);
    const auto second = f.run(account->write_turn());
    REQUIRE_FALSE(second);
    CHECK(second.error().code == errc::too_many_requests);
    CHECK(second.error().retry_after == 20s);
}

} // namespace sluice::promotion::forge
