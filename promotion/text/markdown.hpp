#pragma once

#include <cstddef>
#include <string>
#include <string_view>

// Names, versions and file contents come from others: what they say is shown, never obeyed.
namespace sluice::promotion::text {

// Control characters and line ends become spaces.
[[nodiscard]] std::string one_line(std::string_view text);
// At most `limit` bytes, whole characters; what was cut shows as "…".
[[nodiscard]] std::string shortened(std::string_view text, std::size_t limit);

// As it is, in running text: no markup, no HTML, no mention, no GitLab quick action.
[[nodiscard]] std::string inline_text(std::string_view text);
// As code, also inside a table.
[[nodiscard]] std::string code_span(std::string_view text);
// A block whose fence no line inside can close; cut at a line when longer than `limit` bytes with all, empty when not
// even a line fits.
[[nodiscard]] std::string
fenced(std::string_view language, std::string_view text, std::size_t limit);
// "<https://…>"; empty for all that is no plain web address.
[[nodiscard]] std::string link(std::string_view url);

} // namespace sluice::promotion::text
