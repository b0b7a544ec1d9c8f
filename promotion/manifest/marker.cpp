#include "promotion/manifest/marker.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <vector>

namespace sluice::promotion {
namespace {

using nlohmann::json;

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (;;) {
        const auto end = text.find(separator);
        parts.push_back(text.substr(0, end));
        if (end == std::string_view::npos) return parts;
        text.remove_prefix(end + 1);
    }
}

comment_meaning read_object(const json& object) {
    if (object.empty()) return note{};
    const auto found = object.find("$promotion");
    if (found == object.end() || found->is_null()) return foreign_object{};
    // Weave reads an object of strings, where null stands for an empty one.
    const auto is_text = [](const json& value) { return value.is_string() || value.is_null(); };
    if (!std::ranges::all_of(object, is_text)) {
        return broken_marker{"all values of the marker's JSON object must be strings"};
    }
    auto parsed = parse_marker(found->get_ref<const std::string&>());
    if (!parsed) return broken_marker{parsed.error().message};
    return std::move(*parsed);
}

} // namespace

std::string marker::text() const {
    auto out = fmt::format(
        "{}:{}:{}", promotion.pipeline.ns, promotion.pipeline.name, promotion.environment
    );
    if (writes != fact::revision) fmt::format_to(std::back_inserter(out), ":{}", to_string(writes));
    return out;
}

result<marker> parse_marker(std::string_view value) {
    const auto parts = split(value, ':');
    const bool complete = (parts.size() == 3 || parts.size() == 4) &&
                          std::ranges::none_of(parts, &std::string_view::empty);
    if (!complete) {
        return error{
            errc::invalid_argument,
            fmt::format("\"{}\" is not namespace:pipeline:environment[:fact]", value)
        };
    }
    const auto writes = parts.size() == 4 ? parse_fact(parts[3]) : fact::revision;
    if (!writes) {
        return error{
            errc::invalid_argument,
            fmt::format(
                "\"{}\" is no fact; there are revision, app-version, tag, digest, name and image",
                parts[3]
            )
        };
    }
    return marker{
        .promotion =
            {.pipeline = {.ns = std::string{parts[0]}, .name = std::string{parts[1]}},
             .environment = std::string{parts[2]}},
        .writes = *writes
    };
}

comment_meaning read_comment(std::string_view comment) {
    const auto first = comment.find_first_not_of('#');
    if (first == std::string_view::npos) return note{};
    comment.remove_prefix(first);
    const auto brace = comment.find_first_not_of(" \t\r\n");
    if (brace == std::string_view::npos || comment[brace] != '{') return note{};
    const auto parsed = json::parse(comment, nullptr, /*allow_exceptions=*/false);
    if (parsed.is_object()) return read_object(parsed);
    return note{};
}

} // namespace sluice::promotion
