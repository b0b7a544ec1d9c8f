#include "observe/exposition.hpp"

#include "observe/utf8.hpp"

#include <fmt/format.h>

#include <cmath>
#include <iterator>
#include <stdexcept>

namespace sluice::observe {
namespace {

bool is_name(std::string_view text, bool colons) noexcept {
    const auto fits = [colons](char c, bool first) {
        const bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
        return letter || (colons && c == ':') || (!first && c >= '0' && c <= '9');
    };
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (!fits(text[i], i == 0)) return false;
    }
    return !text.empty();
}

void append_escaped(std::string& out, std::string_view text, bool quotes) {
    for (std::size_t i = 0; i < text.size();) {
        const auto length = utf8_sequence(text, i);
        if (length == 0) {
            out += replacement_character;
        } else if (text[i] == '\\') {
            out += "\\\\";
        } else if (text[i] == '\n') {
            out += "\\n";
        } else if (quotes && text[i] == '"') {
            out += "\\\"";
        } else {
            out += text.substr(i, length);
        }
        i += length == 0 ? 1 : length;
    }
}

std::string number(double v) {
    if (std::isnan(v)) return "NaN";
    if (std::isinf(v)) return v > 0 ? "+Inf" : "-Inf";
    return fmt::format("{}", v);
}

} // namespace

void require_valid_names(std::string_view metric, const labels& l) {
    bool valid = is_name(metric, true);
    std::string_view previous;
    for (const auto& [name, value] : l) {
        valid = valid && is_name(name, false) && !name.starts_with("__") && name != "le" &&
                name != previous;
        previous = name;
    }
    if (!valid)
        throw std::logic_error(
            "metric " + std::string{metric} + " has a name that Prometheus refuses"
        );
}

void exposition::family(std::string_view name, std::string_view help, std::string_view type) {
    fmt::format_to(std::back_inserter(text_), "# HELP {} ", name);
    append_escaped(text_, help, false);
    fmt::format_to(std::back_inserter(text_), "\n# TYPE {} {}\n", name, type);
}

void exposition::sample(std::string_view name, const labels& l, std::uint64_t value) {
    series(name, "", l);
    fmt::format_to(std::back_inserter(text_), " {}\n", value);
}

void exposition::sample(std::string_view name, const labels& l, double value) {
    series(name, "", l);
    fmt::format_to(std::back_inserter(text_), " {}\n", number(value));
}

void exposition::histogram(
    std::string_view name,
    const labels& l,
    const std::vector<double>& bounds,
    const histogram::snapshot& read
) {
    for (std::size_t i = 0; i < read.cumulative.size(); ++i) {
        series(name, "_bucket", l, i < bounds.size() ? number(bounds[i]) : "+Inf");
        fmt::format_to(std::back_inserter(text_), " {}\n", read.cumulative[i]);
    }
    series(name, "_sum", l);
    fmt::format_to(std::back_inserter(text_), " {}\n", number(read.sum));
    series(name, "_count", l);
    fmt::format_to(std::back_inserter(text_), " {}\n", read.cumulative.back());
}

void exposition::series(
    std::string_view name, std::string_view suffix, const labels& l, std::string_view le
) {
    text_ += name;
    text_ += suffix;
    if (l.empty() && le.empty()) return;
    char separator = '{';
    for (const auto& [key, value] : l) {
        fmt::format_to(std::back_inserter(text_), "{}{}=\"", separator, key);
        append_escaped(text_, value, true);
        text_ += '"';
        separator = ',';
    }
    if (!le.empty()) fmt::format_to(std::back_inserter(text_), "{}le=\"{}\"", separator, le);
    text_ += '}';
}

} // namespace sluice::observe
