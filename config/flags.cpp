#include "config/flags.hpp"

#include "config/settings.hpp"
#include "config/value.hpp"

#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace sluice::config {
namespace {

std::string help_of(const setting& s) {
    const auto preset = written_form(s, settings{});
    if (preset.empty()) return std::string{s.help};
    return fmt::format("{} [{}]", s.help, fmt::join(preset, ","));
}

} // namespace

void add_flags(CLI::App& app, flag_map& into) {
    for (const auto& s : all_settings()) {
        const std::string flag{s.flag};
        const bool is_list = std::holds_alternative<list_field>(s.field);
        const auto dot = s.path.find('.');
        auto* option = app.add_option_function<std::vector<std::string>>(
            flag,
            [flag, &into](const std::vector<std::string>& given) { into[flag] = given; },
            help_of(s)
        );
        // One value after each flag: the vector is for flags that may be repeated, and for telling those that may not.
        option->type_size(1)->expected(1, is_list ? CLI::detail::expected_max_vector_size : 1);
        option->allow_extra_args(false)->type_name(kind_of(s));
        option->group(dot == std::string_view::npos ? "Where" : std::string{s.path.substr(0, dot)});
    }
}

} // namespace sluice::config
