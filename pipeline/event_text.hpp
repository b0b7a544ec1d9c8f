#pragma once

#include "base/result.hpp"

#include <string>
#include <string_view>

// What senders write ends up in branch names, titles, tables and logs.
namespace sluice::pipeline {

// Revisions, digests, tags, names: printable, without blanks, at most 512 bytes. The error begins with `path`.
[[nodiscard]] outcome check_word(std::string_view path, std::string_view text);

// The first line without control characters, at most 512 bytes, cut between characters.
[[nodiscard]] std::string first_line(std::string_view text);

} // namespace sluice::pipeline
