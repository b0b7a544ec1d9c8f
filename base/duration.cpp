#include "base/duration.hpp"

#include <charconv>
#include <limits>

namespace sluice {
namespace {

using std::chrono::milliseconds;

struct unit {
    std::string_view suffix;
    std::int64_t in_milliseconds;
};

// Longest first for formatting; "ms" before "m" and "s" cannot clash since the whole suffix must match.
constexpr unit units[] = {{"h", 3'600'000}, {"m", 60'000}, {"s", 1'000}, {"ms", 1}};

} // namespace

std::optional<milliseconds> parse_duration(std::string_view text) {
    if (text.starts_with('-')) return std::nullopt; // "-0s" too
    std::int64_t count = 0;
    const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (ec != std::errc{}) return std::nullopt;
    const std::string_view suffix{rest, static_cast<std::size_t>(text.data() + text.size() - rest)};
    for (const auto& u : units) {
        if (suffix != u.suffix) continue;
        if (count > std::numeric_limits<std::int64_t>::max() / u.in_milliseconds)
            return std::nullopt;
        return milliseconds{count * u.in_milliseconds};
    }
    return std::nullopt;
}

std::string format_duration(milliseconds duration) {
    for (const auto& u : units) {
        if (duration.count() % u.in_milliseconds == 0 && duration.count() != 0) {
            return std::to_string(duration.count() / u.in_milliseconds) + std::string{u.suffix};
        }
    }
    return "0s";
}

} // namespace sluice
