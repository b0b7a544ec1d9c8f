#pragma once

#include "base/result.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

// YAML to JSON that remembers where each value stood, so that every error can say file:line.
//
// Scalars are read as Kubernetes reads them (YAML 1.1 words and numbers, see yaml/scalar.hpp), so that one manifest means
// the same in both homes.
namespace sluice::yaml {

struct position {
    int line = 0;   // from 1
    int column = 0; // from 1, in characters as an editor counts them, not bytes

    friend auto operator<=>(const position&, const position&) = default;
};

struct document {
    nlohmann::json value;
    // By JSON pointer. A member of a mapping stands where its key does, an item of a list where it begins.
    std::map<std::string, position, std::less<>> positions;
    // What was written where a plain scalar became a number, a boolean or null: "1.10" is gone from the double 1.1.
    std::map<std::string, std::string, std::less<>> sources;

    // Of the value, or of its nearest ancestor that is there (a missing key is told at its parent).
    [[nodiscard]] position where(std::string_view pointer) const;
    // The text behind a number, boolean or null; empty for everything else.
    [[nodiscard]] std::string_view source(std::string_view pointer) const;
};

// What a stream may cost. Manifests are small; these stop an accident or an attack, not a user.
inline constexpr std::size_t max_text = std::size_t{8} << 20U;
inline constexpr int max_depth = 64; // as for JSON: nlohmann's dump() recurses
inline constexpr std::size_t max_key = 1024;
// Bytes of values and pointers all documents may come to once aliases are expanded ("billion laughs").
inline constexpr std::size_t max_expanded = std::size_t{64} << 20U;

// All documents of a stream; empty ones are left out. Duplicate keys, aliases that explode and broken syntax are errors whose
// message starts with "line:column: ".
[[nodiscard]] result<std::vector<document>> read_documents(std::string_view text);

// The parts of a JSON pointer, escaped ("a/b" is "a~1b").
[[nodiscard]] std::string child(std::string_view pointer, std::string_view key);
[[nodiscard]] std::string child(std::string_view pointer, std::size_t index);

} // namespace sluice::yaml
