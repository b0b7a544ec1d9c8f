#pragma once

#include "auth/recent_map.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::auth {

struct bucket_limits {
    std::uint32_t per_second = 50;
    std::uint32_t burst = 200;
    std::size_t buckets = 65'536; // kept at once; a forgotten one comes back full
};

// One token bucket per name (a pipeline): what a verified sender may ask for, so that one cannot drown the others.
class token_buckets {
public:
    using time = std::chrono::steady_clock::time_point;

    explicit token_buckets(const bucket_limits& limits = {});

    // Takes a token. False when the bucket is empty: answer 429, a token is there again within a second.
    [[nodiscard]] bool take(std::string_view name, time now);

    [[nodiscard]] std::size_t size() const { return full_at_.size(); }

private:
    std::chrono::nanoseconds per_token_;
    std::chrono::nanoseconds whole_bucket_;
    // A bucket is one time: when it will be full again. Empty means that this is a whole bucket away.
    recent_map<std::string, std::string_view, time> full_at_;
};

} // namespace sluice::auth
