#pragma once

#include "promotion/manifest/find_markers.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sluice::promotion {

struct scalar_edit {
    scalar_place place; // as find_markers() or find_field() told it of the same bytes
    std::string value;
};

// The file with these scalars replaced; every other byte stays. Before it is handed out it is parsed again: the
// edited scalars must read as strings with the new values, and nothing else may have changed, no key, tag, anchor or
// comment. The error is unprocessable and its message starts with "line: ".
[[nodiscard]] result<std::string> edit(std::string_view bytes, std::span<const scalar_edit> edits);

// The scalar already reads as this string, so that there is nothing to edit.
[[nodiscard]] bool already_says(const scalar_place& place, std::string_view value);

} // namespace sluice::promotion
