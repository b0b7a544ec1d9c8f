#pragma once

#include "home/ledger.hpp"

#include <nlohmann/json.hpp>

#include <vector>

// The one shape in which a promotion leaves the program: by the API, and by `promotions list` and `show` with -o json.
namespace sluice::home {

[[nodiscard]] nlohmann::ordered_json to_json(const pipeline::promotion& p);
// {"items": [...]}
[[nodiscard]] nlohmann::ordered_json to_json(const std::vector<pipeline::promotion>& list);
// A promotion with "from", "firstEvidence", "facts", "url", "work" and "history".
[[nodiscard]] nlohmann::ordered_json to_json(const promotion_details& details);

} // namespace sluice::home
