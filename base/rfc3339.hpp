#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// "2026-08-07T13:12:44Z", with an optional fraction (cut to milliseconds) and a zone offset.
[[nodiscard]] std::optional<time_point> parse_rfc3339(std::string_view text);

// Whole seconds are written without a fraction, as Kubernetes does.
[[nodiscard]] std::string format_rfc3339(time_point t);

} // namespace sluice
