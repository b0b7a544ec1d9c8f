#include "promotion/manifest/patch.hpp"

#include "promotion/manifest/edit.hpp"
#include "promotion/manifest/field.hpp"
#include "promotion/manifest/scalar_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace sluice::promotion {
namespace {

error in_file(std::string_view path, const error& e) {
    return {e.code, fmt::format("{}:{}", path, e.message)};
}

// A place that this promotion writes to.
struct place {
    scalar_place scalar;
    promotion::marker marker; // of a named field: the one it might have had
    int line = 0;             // of the marker
};

// A file, parsed once for all that is asked of it.
struct reading {
    yaml::syntax file;
    std::vector<place> places;
    std::vector<stray_marker> strays;
};

result<reading> read(
    std::string_view path,
    std::string_view bytes,
    const promotion_key& promotion,
    std::span<const std::string> fields
) {
    reading out;
    const bool has_markers = bytes.find(marker_bytes) != std::string_view::npos;
    if (!has_markers && fields.empty()) return out;
    auto file = yaml::parse_syntax(bytes);
    if (!file && has_markers) return in_file(path, file.error());
    if (!file) return error{errc::unprocessable, fmt::format("{}: {}", path, file.error().message)};
    out.file = std::move(*file);
    auto found = find_markers(out.file, bytes);
    out.strays = std::move(found.strays);
    for (auto& marked : found.scalars)
        if (marked.marker.promotion == promotion)
            out.places.push_back({std::move(marked.scalar), marked.marker, marked.marker_line});
    for (const auto& field : fields) {
        auto named = find_field(out.file, field);
        if (!named)
            return error{named.error().code, fmt::format("{}: {}", path, named.error().message)};
        marker implied{.promotion = promotion, .writes = fact::revision};
        out.places.push_back({std::move(*named), std::move(implied), 0});
    }
    return out;
}

error missing_fact(
    std::string_view path, const place& wants, const pipeline::revision_facts& facts
) {
    return {
        errc::unprocessable,
        fmt::format(
            "{}:{}: the marker \"{}\" wants the fact \"{}\", which the promotion of {} does not "
            "have: {}",
            path,
            wants.line,
            wants.marker.text(),
            to_string(wants.marker.writes),
            facts.revision,
            origin_of(wants.marker.writes)
        )
    };
}

std::string without_last_breaks(std::string text) {
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

present_value present_value_of(const place& p) {
    const auto& [node, begin, end, line, style, value] = p.scalar;
    const bool block = style == yaml::scalar_style::literal || style == yaml::scalar_style::folded;
    return {
        .writes = p.marker.writes,
        .text = block ? without_last_breaks(value) : value,
        .is_string = style != yaml::scalar_style::plain || reads_as_string(value)
    };
}

} // namespace

result<std::vector<present_value>> present_values(
    std::string_view path,
    std::string_view bytes,
    const promotion_key& promotion,
    std::span<const std::string> fields
) {
    const auto found = read(path, bytes, promotion, fields);
    if (!found) return found.error();
    std::vector<present_value> out;
    out.reserve(found->places.size());
    for (const auto& p : found->places) out.push_back(present_value_of(p));
    return out;
}

result<patched> patch(
    std::string_view path,
    std::string_view bytes,
    const promotion_key& promotion,
    const pipeline::revision_facts& facts,
    std::span<const std::string> fields
) {
    auto found = read(path, bytes, promotion, fields);
    if (!found) return found.error();
    patched out;
    out.strays = std::move(found->strays);
    std::vector<scalar_edit> wanted;
    for (auto& p : found->places) {
        auto value = value_of(p.marker.writes, facts);
        if (!value) return missing_fact(path, p, facts);
        const auto& now = out.places.emplace_back(present_value_of(p));
        if (now.is_string && now.text == *value) continue;
        out.changes.push_back({p.scalar.line, without_last_breaks(now.text), *value});
        wanted.push_back({std::move(p.scalar), std::move(*value)});
    }
    if (wanted.empty()) return out;
    auto edited = edit(bytes, found->file, wanted);
    if (!edited) return in_file(path, edited.error());
    out.bytes = std::move(*edited);
    return out;
}

std::string marker_line(const promotion_key& promotion) {
    return fmt::format(
        "# {{\"$promotion\": \"{}\"}}", marker{.promotion = promotion, .writes = {}}.text()
    );
}

} // namespace sluice::promotion
