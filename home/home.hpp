#pragma once

#include "home/ledger.hpp"
#include "home/pipelines.hpp"
#include "home/secrets.hpp"

namespace sluice::home {

// What a home offers. The rest of the program does not know which one it lives in.
struct parts {
    home::pipelines& pipelines;
    home::secrets& secrets;
    home::ledger& ledger;
};

} // namespace sluice::home
