#pragma once

#include "base/result.hpp"

#include <map>
#include <string>
#include <string_view>

// Titles, bodies and commit messages as users write them: text with {names}. A brace is written twice to stand for itself.
namespace sluice::pipeline {

using template_values = std::map<std::string, std::string, std::less<>>;

// Every name a template may use: namespace, pipeline, environment, revision, previous, fromEnvironment, appVersion, digest,
// image, tag, promotion, url, diff, evidence.
[[nodiscard]] const std::map<std::string_view, std::string_view>&
template_names(); // name -> meaning

// errc::invalid_argument that names the column, the unknown name and the nearest known one.
[[nodiscard]] outcome check_template(std::string_view text);

// Whether a checked template shows the value of `name`.
[[nodiscard]] bool uses(std::string_view text, std::string_view name);

// For a checked template. A name without a value becomes the empty text.
[[nodiscard]] std::string render(std::string_view text, const template_values& values);

} // namespace sluice::pipeline
