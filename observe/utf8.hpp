#pragma once

#include <cstddef>
#include <string_view>

namespace sluice::observe {

// What stands for bytes that are no UTF-8.
inline constexpr std::string_view replacement_character = "\xef\xbf\xbd";

// Bytes of the well-formed UTF-8 sequence that begins at `at` (which is inside the text), 0 if there is none.
[[nodiscard]] std::size_t utf8_sequence(std::string_view text, std::size_t at) noexcept;

} // namespace sluice::observe
