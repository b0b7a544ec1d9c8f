#pragma once

#include "promotion/manifest/edit.hpp"
#include "promotion/manifest/field.hpp"
#include "promotion/manifest/patch.hpp"

#include <string>
#include <string_view>

namespace sluice::promotion::test {

// In the tables @M stands for the marker of the promotion that is tried.
inline const promotion_key podinfo_in_prod{{"ns", "app"}, "prod"};
inline constexpr std::string_view our_marker = R"({"$promotion": "ns:app:prod"})";

struct edit_case {
    std::string_view what;
    std::string_view before;
    std::string_view after; // equal to before: nothing may change
    std::string_view revision = "6.1.8";
};

inline std::string with_markers(std::string_view text) {
    std::string out;
    for (;;) {
        const auto at = text.find("@M");
        out += text.substr(0, at);
        if (at == std::string_view::npos) return out;
        out += our_marker;
        text.remove_prefix(at + 2);
    }
}

inline pipeline::revision_facts revision(std::string_view text) {
    pipeline::revision_facts facts;
    facts.revision = text;
    return facts;
}

inline result<scalar_place> field_in(std::string_view bytes, std::string_view field) {
    return find_field(yaml::parse_syntax(bytes).value(), field);
}

inline result<std::string> edited(std::string_view bytes, std::span<const scalar_edit> edits) {
    return edit(bytes, yaml::parse_syntax(bytes).value(), edits);
}

// The file after the promotion, or what patch() complained about.
inline std::string promoted(std::string_view before, std::string_view to = "6.1.8") {
    const auto bytes = with_markers(before);
    const auto done = patch("app.yaml", bytes, podinfo_in_prod, revision(to));
    if (!done) return "error: " + done.error().message;
    return done->bytes.value_or(bytes);
}

} // namespace sluice::promotion::test
