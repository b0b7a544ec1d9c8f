#pragma once

#include "base/result.hpp"
#include "config/settings.hpp"
#include "config/source.hpp"

#include <map>
#include <string>
#include <vector>

namespace sluice::config {

struct inputs {
    std::string file; // --config, else SLUICE_CONFIG; empty: none
    environment_map environment;
    flag_map flags;
};

struct loaded {
    settings values;
    std::map<std::string, std::string, std::less<>>
        origins; // by path; a setting that is not here has its default
    std::vector<std::string> warnings;
};

// Flags over environment over file over defaults. The error's message holds every problem, one per line, each with its
// place and what to do.
[[nodiscard]] result<loaded> load(const inputs& in);

} // namespace sluice::config
