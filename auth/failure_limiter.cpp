#include "auth/failure_limiter.hpp"

#include "auth/random.hpp"

#include <cstring>

namespace sluice::auth {
namespace {

std::uint64_t random_seed() {
    std::uint64_t seed = 0;
    std::memcpy(&seed, random_bytes(sizeof seed).data(), sizeof seed);
    return seed;
}

// The finaliser of splitmix64: every input bit reaches every output bit.
std::uint64_t mix(std::uint64_t x) noexcept {
    x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
    return x ^ (x >> 31U);
}

ip_address who_counts(const ip_address& client) noexcept {
    return client.is_v4() ? client : client.masked(64);
}

} // namespace

std::size_t failure_limiter::seeded_hash::operator()(const ip_address& a) const noexcept {
    std::array<std::uint64_t, 2> halves{};
    std::memcpy(halves.data(), a.bytes().data(), sizeof halves);
    return mix(mix(halves[0] ^ seed) ^ halves[1]);
}

failure_limiter::failure_limiter(const failure_limits& limits)
    : limits_(limits), windows_(limits.addresses, seeded_hash{random_seed()}) {}

bool failure_limiter::refused(const ip_address& client, time now) {
    return windows_.with(who_counts(client), [&](window& w) {
        if (w.count == 0 || now - w.start >= limits_.per) w = {.start = now, .count = 0};
        if (w.count >= limits_.failures) return true;
        ++w.count;
        return false;
    });
}

} // namespace sluice::auth
