#pragma once

#include "promotion/strategies/desk.hpp"

#include <vector>

// An environment deployed from the very branch that promotions write to reports commits of that branch (DESIGN,
// translated reports): what is deployed there is what the manifests say at that commit, and that travels on instead.
namespace sluice::promotion {

// Settles those whose reports are translated, before anything of them begins; the others are left to be carried as they are.
[[nodiscard]] boost::asio::awaitable<std::vector<task>>
translate(const workshop& w, std::vector<task> tasks);

} // namespace sluice::promotion
