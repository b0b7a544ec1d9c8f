#include "base/rfc3339.hpp"

#include <fmt/format.h>

#include <charconv>

namespace sluice {
namespace {

using namespace std::chrono;

// Reads exactly `width` digits and moves on.
std::optional<int> digits(std::string_view& text, std::size_t width) {
    if (text.size() < width) return std::nullopt;
    int value = 0;
    for (std::size_t i = 0; i < width; ++i) {
        if (text[i] < '0' || text[i] > '9') return std::nullopt;
        value = value * 10 + (text[i] - '0');
    }
    text.remove_prefix(width);
    return value;
}

bool skip(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

std::optional<milliseconds> fraction(std::string_view& text) {
    if (!skip(text, ".")) return 0ms;
    int value = 0;
    int scale = 100;
    std::size_t count = 0;
    while (!text.empty() && text.front() >= '0' && text.front() <= '9') {
        value += (text.front() - '0') * scale;
        scale /= 10;
        text.remove_prefix(1);
        ++count;
    }
    if (count == 0) return std::nullopt;
    return milliseconds{value};
}

std::optional<minutes> zone(std::string_view& text) {
    if (skip(text, "Zz")) return 0min;
    if (text.empty()) return std::nullopt;
    const int sign = text.front() == '-' ? -1 : 1;
    if (!skip(text, "+-")) return std::nullopt;
    const auto h = digits(text, 2);
    if (!h || *h > 23 || !skip(text, ":")) return std::nullopt;
    const auto m = digits(text, 2);
    if (!m || *m > 59) return std::nullopt;
    return minutes{sign * (*h * 60 + *m)};
}

} // namespace

std::optional<time_point> parse_rfc3339(std::string_view text) {
    const auto y = digits(text, 4);
    if (!y || !skip(text, "-")) return std::nullopt;
    const auto mo = digits(text, 2);
    if (!mo || !skip(text, "-")) return std::nullopt;
    const auto d = digits(text, 2);
    if (!d || !skip(text, "Tt ")) return std::nullopt;
    const auto h = digits(text, 2);
    if (!h || !skip(text, ":")) return std::nullopt;
    const auto mi = digits(text, 2);
    if (!mi || !skip(text, ":")) return std::nullopt;
    const auto s = digits(text, 2);
    if (!s) return std::nullopt;
    const auto ms = fraction(text);
    if (!ms) return std::nullopt;
    const auto offset = zone(text);
    if (!offset || !text.empty()) return std::nullopt;

    const year_month_day date{
        year{*y}, month(static_cast<unsigned>(*mo)), day(static_cast<unsigned>(*d))
    };
    if (!date.ok() || *h > 23 || *mi > 59 || *s > 60) return std::nullopt;
    return time_point{sys_days{date}} + hours{*h} + minutes{*mi} + seconds{*s} + *ms - *offset;
}

std::string format_rfc3339(time_point t) {
    const auto days = floor<std::chrono::days>(t);
    const year_month_day date{days};
    const hh_mm_ss time{t - days};
    auto text = fmt::format(
        "{:04}-{:02}-{:02}T{:02}:{:02}:{:02}",
        static_cast<int>(date.year()),
        static_cast<unsigned>(date.month()),
        static_cast<unsigned>(date.day()),
        time.hours().count(),
        time.minutes().count(),
        time.seconds().count()
    );
    if (time.subseconds().count() != 0) text += fmt::format(".{:03}", time.subseconds().count());
    return text + "Z";
}

} // namespace sluice
