#pragma once

#include "config/load.hpp"

#include <string>

namespace sluice::config {

// The effective configuration as a file that loads back to the same values, with a comment on each line that tells
// where the value came from.
[[nodiscard]] std::string print(const loaded& l);

} // namespace sluice::config
