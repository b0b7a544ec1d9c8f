#pragma once

#include <CLI/App.hpp>

#include <string>

// What several commands take.
namespace sluice::cli {

// --state, also SLUICE_STATE.
void add_state_option(CLI::App& sub, std::string& state);
// -o, --output: `for_people` or json.
void add_output_option(CLI::App& sub, std::string& output, const std::string& for_people);

// Validators: empty when right, else what to write.
[[nodiscard]] std::string known_promotion_id(const std::string& text);
[[nodiscard]] std::string known_pipeline_name(const std::string& text);

} // namespace sluice::cli
