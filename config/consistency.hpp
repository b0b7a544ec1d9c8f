#pragma once

#include "config/settings.hpp"

#include <string>
#include <vector>

namespace sluice::config {

// Settings that are right one by one and cannot work together, each with what to change.
[[nodiscard]] std::vector<std::string> contradictions(const settings& s);

// What works but deserves a word at start-up, such as plain HTTP that leaves the machine.
[[nodiscard]] std::vector<std::string> doubts(const settings& s);

} // namespace sluice::config
