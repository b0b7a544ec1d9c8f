#include "auth/token_bucket.hpp"
#include "tests/support/catch.hpp"

#include <atomic>
#include <string>
#include <thread>
#include <vector>

using namespace sluice::auth;
using namespace std::chrono_literals;

namespace {

const token_buckets::time start{1h};

int taken(token_buckets& buckets, std::string_view name, token_buckets::time at, int tries) {
    int count = 0;
    for (int i = 0; i < tries; ++i) count += buckets.take(name, at) ? 1 : 0;
    return count;
}

} // namespace

TEST_CASE("a pipeline may send a burst of 200 and then 50 a second") {
    token_buckets buckets;
    CHECK(taken(buckets, "default/podinfo", start, 1000) == 200);
    CHECK(taken(buckets, "default/podinfo", start + 20ms - 1ns, 10) == 0);
    CHECK(taken(buckets, "default/podinfo", start + 20ms, 10) == 1);
    CHECK(taken(buckets, "default/podinfo", start + 1020ms, 1000) == 50);
    CHECK(taken(buckets, "default/podinfo", start + 60min, 1000) == 200);
}

TEST_CASE("a refused request costs nothing: whoever waits a second is served") {
    token_buckets buckets;
    CHECK(taken(buckets, "a", start, 100'000) == 200);
    CHECK(taken(buckets, "a", start + 1s, 1) == 1);
}

TEST_CASE("a steady 50 a second is never refused") {
    token_buckets buckets;
    for (int i = 0; i < 5000; ++i) REQUIRE(buckets.take("a", start + i * 20ms));
}

TEST_CASE("one pipeline's flood does not empty another's bucket") {
    token_buckets buckets;
    CHECK(taken(buckets, "default/a", start, 1000) == 200);
    CHECK(taken(buckets, "default/b", start, 1000) == 200);
}

TEST_CASE("rate and burst are those given") {
    token_buckets buckets{{.per_second = 1000, .burst = 1, .buckets = 10}};
    CHECK(taken(buckets, "a", start, 5) == 1);
    CHECK(taken(buckets, "a", start + 1ms, 5) == 1);
}

TEST_CASE("buckets stay within the number given, and a forgotten one comes back full") {
    token_buckets buckets{{.per_second = 1, .burst = 2, .buckets = 64}};
    CHECK(taken(buckets, "first", start, 5) == 2);
    for (int i = 0; i < 10'000; ++i) REQUIRE(buckets.take("pipeline-" + std::to_string(i), start));
    CHECK(buckets.size() <= 64);
    CHECK(taken(buckets, "first", start, 5) == 2);
}

TEST_CASE("threads share one bucket") {
    token_buckets buckets;
    std::atomic<int> total{0};
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 4; ++t) {
            threads.emplace_back([&] { total += taken(buckets, "default/podinfo", start, 1000); });
        }
    }
    CHECK(total == 200);
}
