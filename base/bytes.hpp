#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice {

[[nodiscard]] std::string to_hex(std::span<const std::uint8_t> bytes);
// Lower- and upper-case digits; nothing on an odd length or another character.
[[nodiscard]] std::optional<std::string> from_hex(std::string_view text);
[[nodiscard]] std::string to_base64(std::string_view bytes);
// Standard alphabet, padding required.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);
[[nodiscard]] bool is_utf8(std::string_view text) noexcept;

} // namespace sluice
