#pragma once

#include "config/source.hpp"

#include <CLI/App.hpp>

namespace sluice::config {

// Adds a flag for every setting; what is given on the command line is put into `into`, which must outlive the
// parse.
void add_flags(CLI::App& app, flag_map& into);

} // namespace sluice::config
