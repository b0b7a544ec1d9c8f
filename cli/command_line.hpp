#pragma once

#include "cli/console.hpp"

#include <string>
#include <vector>

namespace sluice::cli {

// Runs the subcommand the arguments name (without the program's own name) and gives the exit code.
[[nodiscard]] int run(std::vector<std::string> arguments, console& c);

} // namespace sluice::cli
