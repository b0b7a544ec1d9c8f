#pragma once

#include <nlohmann/json.hpp>

#include <string>

// For people: aligned, one promotion a line; nothing in it can move a terminal's cursor.
namespace sluice::cli {

// Of {"items": [...]}. Never empty: without promotions it says so, and where to look.
[[nodiscard]] std::string promotions_table(const nlohmann::ordered_json& list, bool filtered);

// One promotion with its history, oldest first.
[[nodiscard]] std::string promotion_page(const nlohmann::ordered_json& details);

} // namespace sluice::cli
