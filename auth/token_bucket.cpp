#include "auth/token_bucket.hpp"

#include <algorithm>

namespace sluice::auth {

token_buckets::token_buckets(const bucket_limits& limits)
    : per_token_(
          std::chrono::nanoseconds{std::chrono::seconds{1}} / std::max(limits.per_second, 1U)
      ),
      whole_bucket_(per_token_ * std::max(limits.burst, 1U)), full_at_(limits.buckets) {}

bool token_buckets::take(std::string_view name, time now) {
    return full_at_.with(name, [&](time& full_at) {
        const auto after = std::max(full_at, now) + per_token_;
        if (after - now > whole_bucket_) return false;
        full_at = after;
        return true;
    });
}

} // namespace sluice::auth
