#pragma once

#include "base/result.hpp"
#include "pipeline/event_document.hpp"

#include <string>
#include <string_view>

// What senders write ends up in branch names, titles, tables and logs.
namespace sluice::pipeline {

// Revisions, digests, tags, names: printable, without blanks, at most 512 bytes. The error names the member.
[[nodiscard]] outcome
check_word(const json_members& members, std::string_view name, std::string_view text);

// The first line without control characters, at most 512 bytes, cut between characters.
[[nodiscard]] std::string first_line(std::string_view text);

} // namespace sluice::pipeline
