#include "config/value.hpp"

#include "base/bytes.hpp"
#include "base/duration.hpp"
#include "config/bytes_text.hpp"
#include "config/settings.hpp"
#include "config/suggest.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

namespace sluice::config {
namespace {

using texts = std::vector<std::string>;

error wrong(std::string message) {
    return {errc::invalid_argument, std::move(message)};
}

std::optional<std::int64_t> parse_number(unit u, std::string_view text) {
    if (u == unit::bytes) return parse_bytes(text);
    if (u == unit::milliseconds) {
        const auto duration = parse_duration(text);
        return duration ? std::optional<std::int64_t>{duration->count()} : std::nullopt;
    }
    std::int64_t n = 0;
    const auto [rest, ec] = std::from_chars(text.data(), text.data() + text.size(), n);
    if (ec != std::errc{} || rest != text.data() + text.size()) return std::nullopt;
    return n;
}

std::string format_number(unit u, std::int64_t n) {
    if (u == unit::bytes) return format_bytes(n);
    if (u == unit::milliseconds) return format_duration(std::chrono::milliseconds{n});
    return std::to_string(n);
}

std::string_view how_to_write(unit u) {
    if (u == unit::bytes) return "a size; write it as 512, 64KiB, 3MiB or 1GiB";
    if (u == unit::milliseconds) return "a duration; write it as 250ms, 30s, 15m or 72h";
    return "a whole number";
}

// Text ends in file names, logs and in the printed configuration, which must load again.
bool is_printable(std::string_view text) {
    const auto control = [](char c) { return (c >= 0 && c < 0x20) || c == 0x7f; };
    // C1 controls and U+FFFE, U+FFFF, which YAML does not take.
    for (std::size_t i = 0; i + 1 < text.size(); ++i) {
        const auto a = static_cast<unsigned char>(text[i]);
        const auto b = static_cast<unsigned char>(text[i + 1]);
        if (a == 0xC2 && b < 0xA0) return false;
        if (a == 0xEF && b == 0xBF && i + 2 < text.size() &&
            static_cast<unsigned char>(text[i + 2]) >= 0xBE) {
            return false;
        }
    }
    return is_utf8(text) && std::none_of(text.begin(), text.end(), control);
}

outcome check_text(text_check check, std::string_view text) {
    if (!is_printable(text)) return wrong("has characters that cannot be printed; remove them");
    if (check == nullptr) return {};
    if (auto problem = check(text); !problem.empty()) return wrong(std::move(problem));
    return {};
}

struct assigner {
    settings& into;
    const texts& written;

    outcome operator()(const list_field& f) const {
        for (const auto& one : written) {
            if (one.empty()) return wrong("has an empty element; remove it");
            if (auto checked = check_text(f.check, one); !checked) return checked;
        }
        f.set(into, written);
        return {};
    }

    outcome operator()(const text_field& f) const {
        if (auto checked = check_text(f.check, written[0]); !checked) return checked;
        f.set(into, written[0]);
        return {};
    }

    outcome operator()(const choice_field& f) const {
        const auto found = std::find(f.names.begin(), f.names.end(), written[0]);
        if (found == f.names.end()) {
            const std::vector<std::string_view> names(f.names.begin(), f.names.end());
            return wrong(fmt::format(
                "\"{}\" is not one of {}{}",
                written[0],
                fmt::join(names, ", "),
                did_you_mean(written[0], names)
            ));
        }
        f.set(into, static_cast<std::size_t>(found - f.names.begin()));
        return {};
    }

    outcome operator()(const number_field& f) const {
        const auto n = parse_number(f.unit, written[0]);
        if (!n) return wrong(fmt::format("\"{}\" is not {}", written[0], how_to_write(f.unit)));
        if (*n < f.least || *n > f.most) {
            return wrong(fmt::format(
                "{} is out of range; it may be {} to {}",
                written[0],
                format_number(f.unit, f.least),
                format_number(f.unit, f.most)
            ));
        }
        f.set(into, *n);
        if (f.get(into) != *n)
            return wrong(fmt::format("{} is finer than this can be; round it up", written[0]));
        return {};
    }
};

} // namespace

outcome assign(const setting& what, settings& into, const texts& written) {
    if (!std::holds_alternative<list_field>(what.field) && written.size() != 1) {
        return wrong("takes one value");
    }
    return std::visit(assigner{into, written}, what.field);
}

std::vector<std::string> written_form(const setting& what, const settings& from) {
    struct reader {
        const settings& s;
        texts operator()(const text_field& f) const {
            auto text = f.get(s);
            return text.empty() ? texts{} : texts{std::move(text)};
        }
        texts operator()(const list_field& f) const { return f.get(s); }
        texts operator()(const choice_field& f) const { return {std::string{f.names[f.get(s)]}}; }
        texts operator()(const number_field& f) const { return {format_number(f.unit, f.get(s))}; }
    };
    return std::visit(reader{from}, what.field);
}

std::string kind_of(const setting& what) {
    struct teller {
        std::string operator()(const text_field&) const { return "text"; }
        std::string operator()(const list_field&) const { return "list"; }
        std::string operator()(const choice_field& f) const {
            return fmt::format("{}", fmt::join(f.names, "|"));
        }
        std::string operator()(const number_field& f) const {
            if (f.unit == unit::bytes) return "size";
            return f.unit == unit::milliseconds ? "duration" : "number";
        }
    };
    return std::visit(teller{}, what.field);
}

} // namespace sluice::config
