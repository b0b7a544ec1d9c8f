#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string_view>

namespace sluice::auth {

using sha256_digest = std::array<std::uint8_t, 32>;

// SHA-256 over the parts in order.
[[nodiscard]] sha256_digest sha256(std::span<const std::string_view> parts);

} // namespace sluice::auth
