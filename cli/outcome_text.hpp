#pragma once

#include "base/result.hpp"
#include "cli/console.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace sluice::cli {

// What a command that acts came to, in one line: "default/podinfo/prod@6.1.8: approved by control". Gives the exit code.
[[nodiscard]] int print_outcome(
    const result<nlohmann::ordered_json>& answer, std::string_view command, bool as_json, console& c
);

// What promoting would do, for a person: the pull request's text and the diff.
[[nodiscard]] std::string preview_text(const nlohmann::ordered_json& preview);

// Nothing in it can move a terminal's cursor; with `lines`, line breaks and tabs stay.
[[nodiscard]] std::string printable(std::string text, bool lines = false);

} // namespace sluice::cli
