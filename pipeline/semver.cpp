#include "pipeline/version.hpp"

#include <algorithm>
#include <array>

namespace sluice::pipeline {
namespace {

// Numbers stay text: a version may hold more digits than any integer.
struct semver {
    std::array<std::string_view, 3> core;
    std::string_view prerelease;
};

bool is_number(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

bool is_canonical_number(std::string_view text) {
    return is_number(text) && (text.size() == 1 || text.front() != '0');
}

bool is_identifier(std::string_view text) {
    const auto allowed = [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               c == '-';
    };
    return !text.empty() && std::ranges::all_of(text, allowed);
}

// The text up to the next dot; moves past it. `last` tells that no dot followed.
std::string_view take_identifier(std::string_view& text, bool& last) {
    const auto dot = text.find('.');
    last = dot == std::string_view::npos;
    const auto part = text.substr(0, dot);
    text = last ? std::string_view{} : text.substr(dot + 1);
    return part;
}

template <class Predicate>
bool all_identifiers(std::string_view text, Predicate accepted) {
    for (bool last = false; !last;) {
        if (!accepted(take_identifier(text, last))) return false;
    }
    return true;
}

std::optional<semver> parse(std::string_view text) {
    if (text.starts_with('v')) text.remove_prefix(1);
    if (const auto plus = text.find('+'); plus != std::string_view::npos) {
        if (!all_identifiers(text.substr(plus + 1), is_identifier)) return std::nullopt;
        text = text.substr(0, plus);
    }
    semver version;
    if (const auto dash = text.find('-'); dash != std::string_view::npos) {
        version.prerelease = text.substr(dash + 1);
        const auto accepted = [](std::string_view id) {
            return is_identifier(id) && (!is_number(id) || is_canonical_number(id));
        };
        if (!all_identifiers(version.prerelease, accepted)) return std::nullopt;
        text = text.substr(0, dash);
    }
    for (std::size_t i = 0; i < version.core.size(); ++i) {
        bool last = false;
        version.core[i] = take_identifier(text, last);
        const bool last_expected = i + 1 == version.core.size();
        if (!is_canonical_number(version.core[i]) || last != last_expected) return std::nullopt;
    }
    return version;
}

std::strong_ordering compare_numbers(std::string_view a, std::string_view b) {
    if (a.size() != b.size()) return a.size() <=> b.size();
    return a.compare(b) <=> 0;
}

std::strong_ordering compare_identifiers(std::string_view a, std::string_view b) {
    const bool number_a = is_number(a);
    const bool number_b = is_number(b);
    if (number_a && number_b) return compare_numbers(a, b);
    if (number_a != number_b)
        return number_a ? std::strong_ordering::less : std::strong_ordering::greater;
    return a.compare(b) <=> 0;
}

std::strong_ordering compare_prereleases(std::string_view a, std::string_view b) {
    if (a.empty() || b.empty())
        return a.empty() <=> b.empty(); // a release is above its pre-releases
    bool last_a = false;
    bool last_b = false;
    while (!last_a && !last_b) {
        const auto order =
            compare_identifiers(take_identifier(a, last_a), take_identifier(b, last_b));
        if (order != 0) return order;
    }
    return last_b <=> last_a; // the longer one is above
}

} // namespace

bool is_version(std::string_view text) {
    return parse(text).has_value();
}

std::optional<std::strong_ordering> compare_versions(std::string_view a, std::string_view b) {
    const auto left = parse(a);
    const auto right = parse(b);
    if (!left || !right) return std::nullopt;
    for (std::size_t i = 0; i < left->core.size(); ++i) {
        const auto order = compare_numbers(left->core[i], right->core[i]);
        if (order != 0) return order;
    }
    return compare_prereleases(left->prerelease, right->prerelease);
}

} // namespace sluice::pipeline
