#pragma once

#include "promotion/manifest/fact.hpp"

#include <span>
#include <string>

namespace sluice::promotion {

// A marker or named field of a promotion, and what stands there now.
struct present_value {
    fact writes = fact::revision;
    std::string text;
    bool is_string = true; // a plain 1.10 is a number: it does not say "1.10"
};

// All of them, at least one, say what these facts would write.
[[nodiscard]] bool
all_say(std::span<const present_value> places, const pipeline::revision_facts& facts);

} // namespace sluice::promotion
