#pragma once

#include "base/result.hpp"
#include "config/setting.hpp"

#include <string>
#include <vector>

namespace sluice::config {

// Puts what was written into its member. Scalars take exactly one text. The message says what is wrong and what to
// write, not where.
[[nodiscard]] outcome
assign(const setting& what, settings& into, const std::vector<std::string>& written);

// What assign() would take to give the same value. Empty for an empty list or text.
[[nodiscard]] std::vector<std::string> written_form(const setting& what, const settings& from);

// For help and documentation: "size", "duration", "json|text".
[[nodiscard]] std::string kind_of(const setting& what);

} // namespace sluice::config
