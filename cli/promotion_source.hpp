#pragma once

#include "base/result.hpp"
#include "home/ledger.hpp"

#include <nlohmann/json.hpp>

#include <string>

// Promotions of a state folder, as the API tells them: asked of the server that runs on it, else read from its files.
namespace sluice::cli {

[[nodiscard]] result<nlohmann::ordered_json>
list_promotions(const std::string& state, const home::promotion_filter& filter);

[[nodiscard]] result<nlohmann::ordered_json>
show_promotion(const std::string& state, const std::string& id);

// "/api/v1/promotions?namespace=default&limit=500"
[[nodiscard]] std::string list_target(const home::promotion_filter& filter);

} // namespace sluice::cli
