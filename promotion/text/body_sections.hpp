#pragma once

#include "promotion/text/pull_request_text.hpp"

#include <cstddef>
#include <string>

// The parts of a pull request's body, in markdown.
namespace sluice::promotion::text {

// What the manifests said before; empty when nothing is known.
[[nodiscard]] std::string previous_of(const text_input& in);

[[nodiscard]] std::string evidence_table(const text_input& in, std::size_t rows);

// All of the default body but weave_block(), ending with an empty line, in at most `room` bytes: the diff is cut first, then
// the tables.
[[nodiscard]] std::string default_sections(const text_input& in, std::size_t room);

// Weave's tools find the open pull requests of an environment by the line in it.
[[nodiscard]] std::string weave_block(const text_input& in);

} // namespace sluice::promotion::text
