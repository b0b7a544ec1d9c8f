#include "config/bytes_text.hpp"

#include <charconv>
#include <limits>

namespace sluice::config {
namespace {

struct unit {
    std::string_view suffix;
    std::int64_t in_bytes;
};

// Largest first, for formatting.
constexpr unit units[] = {{"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10}, {"", 1}};

} // namespace

std::optional<std::int64_t> parse_bytes(std::string_view text) {
    std::int64_t count = 0;
    const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), count);
    if (ec != std::errc{} || count < 0) return std::nullopt;
    const auto suffix = text.substr(static_cast<std::size_t>(rest - text.data()));
    for (const auto& u : units) {
        if (suffix != u.suffix) continue;
        if (count > std::numeric_limits<std::int64_t>::max() / u.in_bytes) return std::nullopt;
        return count * u.in_bytes;
    }
    return std::nullopt;
}

std::string format_bytes(std::int64_t bytes) {
    for (const auto& u : units) {
        if (bytes != 0 && bytes % u.in_bytes == 0) {
            return std::to_string(bytes / u.in_bytes) + std::string{u.suffix};
        }
    }
    return "0";
}

} // namespace sluice::config
