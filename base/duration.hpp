#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// "250ms", "30s", "15m", "72h". One number, one unit, nothing else.
[[nodiscard]] std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

// The shortest form that parses back to the same value.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds duration);

} // namespace sluice
