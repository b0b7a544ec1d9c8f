#pragma once

#include "base/result.hpp"
#include "yaml/syntax.hpp"

#include <string>
#include <string_view>

namespace sluice::promotion {

// False for what some reader of YAML 1.1 or 1.2 takes for a number, boolean, null, date or merge key when it is not
// quoted: 1.10, 6, 1e3, 12e4567, 0x1f, 12:30, 2026-01-01, on, null, ~.
[[nodiscard]] bool reads_as_string(std::string_view text);

// One splice: these bytes are replaced, and the scalar then reads as `text`.
struct scalar_splice {
    std::size_t begin = 0;
    std::size_t end = 0;
    std::string bytes;
    std::string text;
};

// Writes `value` the way the scalar is written: quotes stay, a block scalar stays one with the line break at its end;
// a plain one is quoted only where it must be. The error has no line yet.
[[nodiscard]] result<scalar_splice>
write_scalar(std::string_view file, const yaml::syntax_node& scalar, std::string_view value);

} // namespace sluice::promotion
