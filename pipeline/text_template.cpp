#include "pipeline/text_template.hpp"

#include "pipeline/schema_fields.hpp"

#include <fmt/format.h>

namespace sluice::pipeline {
namespace {

struct piece {
    std::size_t begin = 0;  // where it starts in the template
    bool is_name = false;   // {name}
    std::string_view text;  // the name, or text that stands for itself
    std::string_view wrong; // empty: all is well
};

// Cuts one piece off the text, which is not empty.
piece next_piece(std::string_view text, std::size_t at) {
    const auto rest = text.substr(at);
    if (rest.starts_with("{{") || rest.starts_with("}}")) return {at, false, rest.substr(0, 1), {}};
    if (rest.front() == '}') return {at, false, rest.substr(0, 1), "} without {"};
    if (rest.front() != '{') return {at, false, rest.substr(0, rest.find_first_of("{}")), {}};
    const auto end = rest.find_first_of("{}\n", 1);
    if (end == std::string_view::npos || rest[end] != '}')
        return {at, false, rest.substr(0, 1), "{ without }"};
    return {at, true, rest.substr(1, end - 1), {}};
}

std::size_t length_of(const piece& p, std::string_view text) {
    if (p.is_name) return p.text.size() + 2;
    const bool doubled =
        text.substr(p.begin).starts_with("{{") || text.substr(p.begin).starts_with("}}");
    return doubled ? 2 : p.text.size();
}

std::size_t column_of(std::string_view text, std::size_t at) {
    const auto line = text.substr(0, at).rfind('\n');
    return line == std::string_view::npos ? at + 1 : at - line;
}

std::string unknown_name(std::string_view name) {
    std::vector<std::string_view> known;
    for (const auto& [each, meaning] : template_names()) known.push_back(each);
    const auto meant = schema::nearest(name, known);
    return fmt::format(
        "there is no {{{}}}; {}",
        name,
        meant ? fmt::format("did you mean {{{}}}?", *meant)
              : fmt::format("known are {}", schema::listed(known))
    );
}

} // namespace

const std::map<std::string_view, std::string_view>& template_names() {
    static const std::map<std::string_view, std::string_view> names{
        {"namespace", "of the Pipeline"},
        {"pipeline", "its name"},
        {"environment", "where the revision goes"},
        {"revision", "what manifests get"},
        {"previous", "what stood there before"},
        {"fromEnvironment", "where it was proven; empty when nobody proved it"},
        {"appVersion", "of the chart, where the event told it"},
        {"digest", "of the artifact, where it is known"},
        {"image", "of a trigger"},
        {"tag", "of a trigger"},
        {"promotion", "the promotion's id"},
        {"url", "of the CI run that claimed it"},
        {"diff", "what changes"},
        {"evidence", "who proved what, and when"},
    };
    return names;
}

outcome check_template(std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const auto p = next_piece(text, at);
        std::string wrong{p.wrong};
        if (p.is_name && !template_names().contains(p.text)) wrong = unknown_name(p.text);
        if (!wrong.empty()) {
            return error{
                errc::invalid_argument, fmt::format("column {}: {}", column_of(text, at), wrong)
            };
        }
        at += length_of(p, text);
    }
    return {};
}

bool uses(std::string_view text, std::string_view name) {
    for (std::size_t at = 0; at < text.size();) {
        const auto p = next_piece(text, at);
        if (p.is_name && p.text == name) return true;
        at += length_of(p, text);
    }
    return false;
}

std::string render(std::string_view text, const template_values& values) {
    std::string out;
    for (std::size_t at = 0; at < text.size();) {
        const auto p = next_piece(text, at);
        if (!p.is_name) {
            out += p.text;
        } else if (const auto found = values.find(p.text); found != values.end()) {
            out += found->second;
        }
        at += length_of(p, text);
    }
    return out;
}

} // namespace sluice::pipeline
