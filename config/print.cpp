#include "config/print.hpp"

#include "config/value.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace sluice::config {
namespace {

// Wide enough for nearly all lines, so that the origins stand in one column.
constexpr std::size_t origin_column = 44;

// JSON's quoted form is YAML's.
std::string quoted(const std::string& text) {
    return nlohmann::json(text).dump();
}

std::string value_text(const setting& s, const settings& values) {
    const auto written = written_form(s, values);
    if (std::holds_alternative<list_field>(s.field)) {
        std::vector<std::string> each;
        each.reserve(written.size());
        for (const auto& one : written) each.push_back(quoted(one));
        return fmt::format("[{}]", fmt::join(each, ", "));
    }
    if (std::holds_alternative<text_field>(s.field))
        return written.empty() ? "\"\"" : quoted(written[0]);
    return written[0];
}

std::string origin_of(const setting& s, const loaded& l) {
    const auto found = l.origins.find(s.path);
    return found == l.origins.end() ? "default" : found->second;
}

} // namespace

std::string print(const loaded& l) {
    std::string out;
    std::string_view open_group;
    for (const auto& s : all_settings()) {
        const auto dot = s.path.find('.');
        const auto group =
            dot == std::string_view::npos ? std::string_view{} : s.path.substr(0, dot);
        if (group != open_group) out += fmt::format("{}:\n", group);
        open_group = group;
        const auto key = group.empty() ? s.path : s.path.substr(dot + 1);
        const std::string_view indent = group.empty() ? "" : "  ";
        const auto line = fmt::format("{}{}: {}", indent, key, value_text(s, l.values));
        out += fmt::format("{:<{}} # {}\n", line, origin_column, origin_of(s, l));
    }
    return out;
}

} // namespace sluice::config
