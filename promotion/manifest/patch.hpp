#pragma once

#include "promotion/manifest/find_markers.hpp"
#include "promotion/manifest/present_value.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// One promotion into one file: bytes in, bytes out. Start reading here.
namespace sluice::promotion {

struct change {
    int line = 0;
    std::string from;
    std::string to;

    friend bool operator==(const change&, const change&) = default;
};

struct patched {
    std::optional<std::string>
        bytes; // absent: the file already says it, or says nothing about this promotion
    std::vector<change> changes;
    std::vector<present_value> places; // markers and fields of this promotion, changed or not
    std::vector<stray_marker>
        strays; // markers of any promotion that mark nothing, for the person who misses one
};

// Writes the facts of a promotion to its markers in the file and to the fields named explicitly. Errors start with
// "path:line: ":
// - invalid_argument: the file is no YAML. Not fatal for the promotion: no marker of it can be known;
// - unprocessable: permanent. A marker wants a fact the promotion lacks, a named field is not there, or the edit
//   would change more than it should.
[[nodiscard]] result<patched> patch(
    std::string_view path,
    std::string_view bytes,
    const promotion_key& promotion,
    const pipeline::revision_facts& facts,
    std::span<const std::string> fields = {}
);

// What they say now. The same errors, but for facts.
[[nodiscard]] result<std::vector<present_value>> present_values(
    std::string_view path,
    std::string_view bytes,
    const promotion_key& promotion,
    std::span<const std::string> fields = {}
);

// The line to add where no marker was found: `# {"$promotion": "ns:name:env"}`.
[[nodiscard]] std::string marker_line(const promotion_key& promotion);

} // namespace sluice::promotion
