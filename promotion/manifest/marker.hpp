#pragma once

#include "base/result.hpp"
#include "pipeline/pipeline.hpp"
#include "promotion/manifest/fact.hpp"

#include <string>
#include <string_view>
#include <variant>

namespace sluice::promotion {

// Where a promotion goes.
struct promotion_key {
    pipeline::object_name pipeline;
    std::string environment;

    friend bool operator==(const promotion_key&, const promotion_key&) = default;
};

// {"$promotion": "ns:name:env[:fact]"}
struct marker {
    promotion_key promotion;
    fact writes = fact::revision;

    friend bool operator==(const marker&, const marker&) = default;
    [[nodiscard]] std::string text() const; // as it is written, without the JSON
};

// No file without these bytes holds a marker, so it need not be parsed.
inline constexpr std::string_view marker_bytes = "\"$promotion\"";

// The value of `$promotion`; the error says what is wrong with it.
[[nodiscard]] result<marker> parse_marker(std::string_view value);

// What a comment says, as Weave reads it: a marker is one JSON object, all of whose values are strings. Any other
// JSON object speaks for another tool and hides markers further away; all else is a note and hides nothing.
struct note {};
struct foreign_object {};
struct broken_marker {
    std::string why;
};
using comment_meaning = std::variant<note, foreign_object, broken_marker, marker>;

// `comment` begins with #.
[[nodiscard]] comment_meaning read_comment(std::string_view comment);

} // namespace sluice::promotion
