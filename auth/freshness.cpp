#include "auth/freshness.hpp"

#include <string>

namespace sluice::auth {

std::optional<time_point> parse_unix_time(std::string_view text) noexcept {
    // Eleven digits last until the year 5138 and cannot overflow.
    if (text.empty() || text.size() > 11) return std::nullopt;
    std::int64_t seconds = 0;
    for (const char c : text) {
        if (c < '0' || c > '9') return std::nullopt;
        seconds = seconds * 10 + (c - '0');
    }
    return time_point{std::chrono::seconds{seconds}};
}

std::string format_unix_time(time_point t) {
    return std::to_string(std::chrono::floor<std::chrono::seconds>(t).time_since_epoch().count());
}

bool within_tolerance(time_point signed_at, time_point now) noexcept {
    return signed_at >= now - signature_tolerance && signed_at <= now + signature_tolerance;
}

} // namespace sluice::auth
