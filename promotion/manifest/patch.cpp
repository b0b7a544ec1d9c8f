#include "promotion/manifest/patch.hpp"

#include "pipeline/version.hpp"
#include "promotion/manifest/edit.hpp"
#include "promotion/manifest/field.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion {
namespace {

error in_file(std::string_view path, const error& e) {
    return {e.code, fmt::format("{}:{}", path, e.message)};
}

error missing_fact(
    std::string_view path, const marked_scalar& marked, const pipeline::revision_facts& facts
) {
    const auto name = to_string(marked.marker.writes);
    return {
        errc::unprocessable,
        fmt::format(
            "{}:{}: the marker \"{}\" wants the fact \"{}\", which the promotion of {} does not "
            "have: {}",
            path,
            marked.marker_line,
            marked.marker.text(),
            name,
            facts.revision,
            origin_of(marked.marker.writes)
        )
    };
}

std::string shown(const scalar_place& place) {
    auto text = place.value;
    while (text.ends_with('\n')) text.pop_back();
    return text;
}

} // namespace

result<patched> patch(
    std::string_view path,
    std::string_view bytes,
    const promotion_key& promotion,
    const pipeline::revision_facts& facts,
    std::span<const std::string> fields
) {
    auto found = find_markers(bytes);
    if (!found) return in_file(path, found.error());
    std::vector<scalar_edit> wanted;
    for (auto& marked : found->scalars) {
        if (marked.marker.promotion != promotion) continue;
        auto value = value_of(marked.marker.writes, facts);
        if (!value) return missing_fact(path, marked, facts);
        wanted.push_back({std::move(marked.scalar), std::move(*value)});
    }
    for (const auto& field : fields) {
        auto place = find_field(bytes, field);
        if (!place)
            return error{place.error().code, fmt::format("{}: {}", path, place.error().message)};
        wanted.push_back({std::move(*place), pipeline::written_form(facts)});
    }
    patched out{
        .bytes = {}, .changes = {}, .places = wanted.size(), .strays = std::move(found->strays)
    };
    std::erase_if(wanted, [](const scalar_edit& e) { return already_says(e.place, e.value); });
    if (wanted.empty()) return out;
    auto edited = edit(bytes, wanted);
    if (!edited) return in_file(path, edited.error());
    out.bytes = std::move(*edited);
    for (const auto& e : wanted) out.changes.push_back({e.place.line, shown(e.place), e.value});
    return out;
}

std::string marker_line(const promotion_key& promotion) {
    return fmt::format(
        "# {{\"$promotion\": \"{}\"}}", marker{.promotion = promotion, .writes = {}}.text()
    );
}

} // namespace sluice::promotion
