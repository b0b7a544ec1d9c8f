#include "auth/failure_limiter.hpp"
#include "tests/support/catch.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace sluice::auth;
using namespace std::chrono_literals;

namespace {

const failure_limiter::time start{1h};

ip_address ip(std::string_view text) {
    return ip_address::parse(text).value();
}

// How many of `tries` failures in one instant are answered 401 and not 429.
int admitted(
    failure_limiter& limiter, std::string_view client, failure_limiter::time at, int tries
) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += limiter.refused(ip(client), at) ? 0 : 1;
    return count;
}

} // namespace

TEST_CASE("thirty failures a minute are answered 401, the next 429, until the minute is over") {
    failure_limiter limiter;
    for (int i = 0; i < 30; ++i) {
        CAPTURE(i);
        CHECK_FALSE(limiter.refused(ip("192.0.2.1"), start + i * 1s));
    }
    CHECK(limiter.refused(ip("192.0.2.1"), start + 30s));
    CHECK(limiter.refused(ip("192.0.2.1"), start + 60s - 1ns));
    CHECK_FALSE(limiter.refused(ip("192.0.2.1"), start + 60s));
}

TEST_CASE("a client that goes on failing while refused is not locked out for longer") {
    failure_limiter limiter;
    admitted(limiter, "192.0.2.1", start, 10'000);
    CHECK(admitted(limiter, "192.0.2.1", start + 60s, 10'000) == 30);
}

TEST_CASE("one client's failures do not count for another") {
    failure_limiter limiter;
    CHECK(admitted(limiter, "192.0.2.1", start, 100) == 30);
    CHECK(admitted(limiter, "192.0.2.2", start, 100) == 30);
    CHECK(admitted(limiter, "2001:db8::1", start, 100) == 30);
}

TEST_CASE("the addresses of one IPv6 /64 are one client, the next /64 is another") {
    failure_limiter limiter;
    CHECK(admitted(limiter, "2001:db8:0:1::1", start, 20) == 20);
    CHECK(admitted(limiter, "2001:db8:0:1:ffff:ffff:ffff:ffff", start, 20) == 10);
    CHECK(admitted(limiter, "2001:db8:0:2::1", start, 20) == 20);
}

TEST_CASE("an IPv4 client is the same through an IPv6 socket, and its neighbours are others") {
    failure_limiter limiter;
    CHECK(admitted(limiter, "192.0.2.1", start, 20) == 20);
    CHECK(admitted(limiter, "::ffff:192.0.2.1", start, 20) == 10);
    CHECK(admitted(limiter, "::ffff:192.0.2.2", start, 20) == 20);
}

TEST_CASE("the limits are those given") {
    failure_limiter limiter{{.failures = 3, .per = 10s, .addresses = 100}};
    CHECK(admitted(limiter, "192.0.2.1", start, 10) == 3);
    CHECK(admitted(limiter, "192.0.2.1", start + 10s, 10) == 3);
}

TEST_CASE("a flood from ever new networks stays within the memory given and never fails") {
    failure_limiter limiter{{.failures = 1, .per = 60s, .addresses = 1024}};
    for (int i = 0; i < 100'000; ++i) {
        const std::array<std::uint8_t, 4> bytes{
            10,
            static_cast<std::uint8_t>(i >> 16),
            static_cast<std::uint8_t>(i >> 8),
            static_cast<std::uint8_t>(i)
        };
        REQUIRE_FALSE(limiter.refused(ip_address::v4(bytes), start));
    }
    CHECK(limiter.clients() <= 1024);
    CHECK(limiter.clients() > 900);
}

TEST_CASE("a client that keeps failing is remembered while others pass by") {
    failure_limiter limiter{{.failures = 1, .per = 60s, .addresses = 1024}};
    REQUIRE_FALSE(limiter.refused(ip("192.0.2.1"), start));
    for (int i = 0; i < 20'000; ++i) {
        const std::array<std::uint8_t, 4> bytes{
            10, 0, static_cast<std::uint8_t>(i >> 8), static_cast<std::uint8_t>(i)
        };
        static_cast<void>(limiter.refused(ip_address::v4(bytes), start));
        REQUIRE(limiter.refused(ip("192.0.2.1"), start));
    }
}

TEST_CASE("threads share one allowance") {
    failure_limiter limiter;
    std::atomic<int> total{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] {
                total += admitted(limiter, "192.0.2.1", start, 1000);
                admitted(limiter, "2001:db8::1", start, 100);
            });
        }
    }
    CHECK(total == 30);
    CHECK(limiter.clients() == 2);
}
