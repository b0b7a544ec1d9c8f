#pragma once

#include "config/settings.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::config {

// Settings that are right one by one and cannot work together.
struct contradiction {
    std::vector<std::string_view> between; // their paths, the one to look at first
    std::string problem;                   // and what to change
};
[[nodiscard]] std::vector<contradiction> contradictions(const settings& s);

// What works but deserves a word at start-up, such as plain HTTP that leaves the machine.
[[nodiscard]] std::vector<std::string> doubts(const settings& s);

} // namespace sluice::config
