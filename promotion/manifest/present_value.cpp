#include "promotion/manifest/present_value.hpp"

#include <algorithm>

namespace sluice::promotion {

bool all_say(std::span<const present_value> places, const pipeline::revision_facts& facts) {
    const auto says = [&](const present_value& s) {
        return s.is_string && value_of(s.writes, facts) == s.text;
    };
    return !places.empty() && std::ranges::all_of(places, says);
}

} // namespace sluice::promotion
