#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {

// " (did you mean \"limits\"?)" for the nearest of the known names, or nothing when none is near.
[[nodiscard]] std::string
did_you_mean(std::string_view written, const std::vector<std::string_view>& known);

} // namespace sluice::config
