#include "embedded/digest_cache.hpp"
#include "tests/home/ledger_events.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"

namespace sluice::tests {
namespace {

using embedded::digest_cache;

const time_point start{std::chrono::milliseconds{1'790'000'000'000}};
const auto in_dev =
    std::make_shared<const digest_cache::place>(digest_cache::place{podinfo, "dev"});

digest_cache::item item(std::uint64_t number, time_point signed_at) {
    return {
        in_dev, digest_of(number), signed_at, {pipeline::verdict_on_event::promote, "why", "id"}
    };
}

TEST_CASE("a digest is forgotten when its event could no longer be fresh", "[ledger]") {
    digest_cache cache{100'000, std::chrono::minutes{10}};
    for (std::uint64_t i = 0; i < 1'000; ++i) cache.add(item(i, start), start);
    CHECK(cache.size() == 1'000);
    const auto later = start + std::chrono::minutes{11};
    for (std::uint64_t i = 1'000; i < 3'000; ++i) cache.add(item(i, later), later);
    CHECK(cache.size() == 2'000);
    CHECK_FALSE(cache.find(podinfo, digest_of(1)));
    CHECK(cache.find(podinfo, digest_of(2'999)));
}

TEST_CASE("beyond the limit the oldest digests go first", "[ledger]") {
    digest_cache cache{640, std::chrono::minutes{10}};
    for (std::uint64_t i = 0; i < 5'000; ++i) cache.add(item(i, start), start);
    CHECK(cache.size() <= 640);
    CHECK(cache.find(podinfo, digest_of(4'999)));
    CHECK_FALSE(cache.find(podinfo, digest_of(0)));
}

TEST_CASE("what is restored at start is older than what comes then", "[ledger]") {
    digest_cache cache{64, std::chrono::minutes{10}}; // one per shard
    REQUIRE(cache.add_older(item(1, start)));
    CHECK_FALSE(cache.add_older(item(1, start)));
    CHECK(cache.find(podinfo, digest_of(1)));
    for (std::uint64_t i = 2; i < 2'000; ++i) cache.add(item(i, start), start);
    CHECK_FALSE(cache.find(podinfo, digest_of(1)));
}

TEST_CASE("after a restart only digests inside the freshness window are recalled", "[ledger]") {
    ledger_on_disk home;
    const auto old = healthy("1.0.0", 1, home.clock.now());
    REQUIRE(get(home.ledger().accept(old, park(old))).has_value());
    home.clock.advance(std::chrono::minutes{11});
    const auto fresh = healthy("1.1.0", 2, home.clock.now());
    REQUIRE(get(home.ledger().accept(fresh, park(fresh))).has_value());
    home.restart();
    CHECK_FALSE(home.ledger().recall(podinfo, old.digest));
    CHECK(home.ledger().recall(podinfo, fresh.digest));
}

TEST_CASE("an event taken while the clock was wrong does not hide those before it", "[ledger]") {
    ledger_on_disk home;
    const auto before = healthy("1.0.0", 1, home.clock.now());
    REQUIRE(get(home.ledger().accept(before, park(before))).has_value());
    home.clock.advance(-std::chrono::hours{1});
    const auto astray = healthy("1.1.0", 2, home.clock.now());
    REQUIRE(get(home.ledger().accept(astray, park(astray))).has_value());
    home.clock.advance(std::chrono::hours{1});
    home.restart();
    CHECK(home.ledger().recall(podinfo, before.digest));
}

} // namespace
} // namespace sluice::tests
