#pragma once

#include "base/result.hpp"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <string_view>
#include <vector>

// YAML to JSON that remembers where each value stood, so that every error can say file:line.
namespace sluice::yaml {

struct position {
    int line = 0;   // from 1
    int column = 0; // from 1
};

struct document {
    nlohmann::json value;
    std::map<std::string, position, std::less<>> positions; // by JSON pointer

    // Of the value, or of its nearest ancestor that is there (a missing key is told at its parent).
    [[nodiscard]] position where(std::string_view pointer) const;
};

// All documents of a stream; empty ones are left out. Duplicate keys, aliases that explode and broken syntax are errors whose
// message starts with "line:column: ".
[[nodiscard]] result<std::vector<document>> read_documents(std::string_view text);

} // namespace sluice::yaml
