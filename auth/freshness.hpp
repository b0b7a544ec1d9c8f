#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice::auth {

// How far the signed time of an approval or of a forge's webhook may be from ours, either way: what the Standard Webhooks
// libraries agree on. For events it is the operator's choice, see intake::options.
inline constexpr std::chrono::minutes signature_tolerance{5};

// Unix seconds as decimal digits and nothing else.
[[nodiscard]] std::optional<time_point> parse_unix_time(std::string_view text) noexcept;
[[nodiscard]] std::string format_unix_time(time_point t);

[[nodiscard]] bool within_tolerance(time_point signed_at, time_point now) noexcept;

} // namespace sluice::auth
