#pragma once

#include "auth/ip_address.hpp"
#include "auth/recent_map.hpp"

#include <chrono>
#include <cstdint>

namespace sluice::auth {

struct failure_limits {
    std::uint32_t failures = 30;           // answered 401 ...
    std::chrono::milliseconds per{60'000}; // ... in this time from the first of them; the rest 429
    std::size_t addresses = 65'536;        // remembered at once, about 8 MiB
};

// Counts failed authentications per client: an IPv4 address, or an IPv6 /64, which is what one customer gets. It is
// asked only after a failure, so it can never stand in the way of a valid signature. When full it forgets the client
// that failed longest ago: someone with that many networks gets 401 again instead of 429, and nothing else.
class failure_limiter {
public:
    using time = std::chrono::steady_clock::time_point;

    explicit failure_limiter(const failure_limits& limits = {});

    // Counts one failure. True when the client has used up its allowance: answer 429 instead of 401.
    [[nodiscard]] bool refused(const ip_address& client, time now);

    [[nodiscard]] std::size_t clients() const { return windows_.size(); }

private:
    struct window {
        time start;
        std::uint32_t count = 0;
    };
    // Seeded, so that nobody can choose addresses that fall into one bucket.
    struct seeded_hash {
        std::uint64_t seed;
        std::size_t operator()(const ip_address& a) const noexcept;
    };

    failure_limits limits_;
    recent_map<ip_address, ip_address, window, seeded_hash> windows_;
};

} // namespace sluice::auth
