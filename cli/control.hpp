#pragma once

#include "base/result.hpp"

#include <nlohmann/json.hpp>

#include <chrono>
#include <optional>
#include <string>

// The server that runs on a state folder, asked through its control socket. What it refused is told in its own words.
namespace sluice::cli {

inline constexpr std::chrono::milliseconds control_patience{10'000};

// GET. Nothing when no server runs there.
[[nodiscard]] std::optional<result<nlohmann::ordered_json>>
ask_server(const std::string& state, const std::string& target);

// POST. That no server runs there is an error that says how to start one.
[[nodiscard]] result<nlohmann::ordered_json> tell_server(
    const std::string& state,
    const std::string& target,
    const nlohmann::ordered_json& body,
    std::chrono::milliseconds within = control_patience
);

// "/api/v1/promotions/default%2Fpodinfo%2Fprod%406.1.8": the id is one segment.
[[nodiscard]] std::string promotion_target(const std::string& id);

} // namespace sluice::cli
