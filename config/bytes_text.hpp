#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::config {

// "64KiB", "3MiB", "2GiB", or plain bytes: "4096". Binary units only, so that nobody has to guess what "MB" means.
[[nodiscard]] std::optional<std::int64_t> parse_bytes(std::string_view text);

// The shortest form that parses back to the same value.
[[nodiscard]] std::string format_bytes(std::int64_t bytes);

} // namespace sluice::config
