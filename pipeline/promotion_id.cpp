#include "base/bytes.hpp"
#include "pipeline/promotion.hpp"

#include <charconv>

// Names and revisions are free text, so what would be read as structure is written as %XX: in names "/ @ # ! %", in the
// revision, where everything after the first "@" belongs to it, only "# ! %". Each identity has exactly one text.
namespace sluice::pipeline {
namespace {

constexpr std::string_view reserved_in_names = "/@#!%";
constexpr std::string_view reserved_in_revisions = "#!%";
constexpr std::string_view rollback_mark = "!rollback";

void append_escaped(std::string& text, std::string_view part, std::string_view reserved) {
    for (const char c : part) {
        if (reserved.find(c) == std::string_view::npos) {
            text += c;
            continue;
        }
        const auto byte = static_cast<std::uint8_t>(c);
        text += '%';
        text += to_hex({&byte, 1});
    }
}

std::optional<std::string> unescaped(std::string_view part) {
    std::string text;
    text.reserve(part.size());
    for (std::size_t i = 0; i < part.size(); ++i) {
        if (part[i] != '%') {
            text += part[i];
            continue;
        }
        const auto byte = from_hex(part.substr(i + 1, 2));
        if (!byte || byte->size() != 1) return std::nullopt;
        text += *byte;
        i += 2;
    }
    return text;
}

// Cuts `text` after the first `mark` and gives what stood before it, unescaped.
std::optional<std::string> take_until(std::string_view& text, char mark) {
    const auto end = text.find(mark);
    if (end == std::string_view::npos || end == 0) return std::nullopt;
    const auto part = text.substr(0, end);
    text.remove_prefix(end + 1);
    return unescaped(part);
}

std::optional<int> take_attempt(std::string_view& text) {
    const auto mark = text.find('#');
    if (mark == std::string_view::npos) return 1;
    const auto number = text.substr(mark + 1);
    text = text.substr(0, mark);
    int attempt = 0;
    const auto [rest, ec] = std::from_chars(number.data(), number.data() + number.size(), attempt);
    if (ec != std::errc{} || rest != number.data() + number.size()) return std::nullopt;
    return attempt;
}

} // namespace

std::string promotion_id::text() const {
    std::string text;
    text.reserve(
        pipeline.ns.size() + pipeline.name.size() + environment.size() + revision.size() + 8
    );
    append_escaped(text, pipeline.ns, reserved_in_names);
    text += '/';
    append_escaped(text, pipeline.name, reserved_in_names);
    text += '/';
    append_escaped(text, environment, reserved_in_names);
    text += '@';
    append_escaped(text, revision, reserved_in_revisions);
    if (kind == promotion_kind::rollback) text += rollback_mark;
    if (attempt > 1) text += '#' + std::to_string(attempt);
    return text;
}

std::optional<promotion_id> promotion_id::parse(std::string_view text) {
    auto rest = text;
    auto ns = take_until(rest, '/');
    if (!ns) return std::nullopt;
    auto name = take_until(rest, '/');
    if (!name) return std::nullopt;
    auto environment = take_until(rest, '@');
    if (!environment) return std::nullopt;
    const auto attempt = take_attempt(rest);
    if (!attempt) return std::nullopt;
    auto kind = promotion_kind::promotion;
    if (rest.ends_with(rollback_mark)) {
        kind = promotion_kind::rollback;
        rest.remove_suffix(rollback_mark.size());
    }
    auto revision = unescaped(rest);
    if (!revision || revision->empty()) return std::nullopt;

    promotion_id id{
        {std::move(*ns), std::move(*name)},
        std::move(*environment),
        std::move(*revision),
        kind,
        *attempt
    };
    // "#1", "#02", "%41": readable, but not the one text of this identity.
    if (id.text() != text) return std::nullopt;
    return id;
}

} // namespace sluice::pipeline
