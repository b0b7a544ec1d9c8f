#pragma once

#include "base/result.hpp"
#include "promotion/manifest/marker.hpp"
#include "yaml/syntax.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::promotion {

// A scalar and the bytes it is written with.
struct scalar_place {
    std::size_t node = 0; // of the file's syntax
    std::size_t begin = 0;
    std::size_t end = 0;
    int line = 0;
    yaml::scalar_style style = yaml::scalar_style::plain;
    std::string value;
};

struct marked_scalar {
    promotion::marker marker;
    int marker_line = 0;
    scalar_place scalar;
};

// A comment that names `$promotion` and marks nothing.
struct stray_marker {
    int line = 0;
    std::string why;
};

struct markers {
    std::vector<marked_scalar> scalars; // in the order of the file
    std::vector<stray_marker> strays;
};

// Of all promotions. The error is invalid_argument: the file is no YAML, and its message starts with "line:column: ".
[[nodiscard]] result<markers> find_markers(std::string_view bytes);
[[nodiscard]] markers find_markers(const yaml::syntax& file, std::string_view bytes);

[[nodiscard]] scalar_place place_of(const yaml::syntax& file, std::size_t node);

} // namespace sluice::promotion
