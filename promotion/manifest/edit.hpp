#pragma once

#include "promotion/manifest/find_markers.hpp"

#include <span>
#include <string>
#include <string_view>

namespace sluice::promotion {

struct scalar_edit {
    scalar_place place; // as find_markers() or find_field() told it of the same file
    std::string value;
};

// The file with these scalars replaced; every other byte stays. `file` is how the bytes are written. Before the result is
// handed out it is parsed: the edited scalars must read as strings with the new values, and nothing else may have
// changed, no key, tag, anchor or comment. The error is unprocessable and its message starts with "line: ".
[[nodiscard]] result<std::string>
edit(std::string_view bytes, const yaml::syntax& file, std::span<const scalar_edit> edits);

} // namespace sluice::promotion
