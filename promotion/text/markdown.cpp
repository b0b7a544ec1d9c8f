#include "promotion/text/markdown.hpp"

#include <algorithm>

namespace sluice::promotion::text {
namespace {

constexpr std::string_view ellipsis = "…";

bool is_control(char c) noexcept {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool is_word(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::size_t longest_run(std::string_view text, char of) {
    std::size_t longest = 0;
    std::size_t run = 0;
    for (const char c : text) {
        run = c == of ? run + 1 : 0;
        longest = std::max(longest, run);
    }
    return longest;
}

// An entity is shown as its character and never read as markup, by every renderer alike.
std::string_view entity_of(char c) noexcept {
    switch (c) {
    case '<': return "&lt;";
    case '>': return "&gt;";
    case '&': return "&amp;";
    case '`': return "&#96;";
    case '*': return "&#42;";
    case '[': return "&#91;";
    case ']': return "&#93;";
    case '|': return "&#124;";
    case '~': return "&#126;";
    case '\\': return "&#92;";
    default: return {};
    }
}

bool is_plain_in_urls(char c) noexcept {
    return is_word(c) || std::string_view{"-.~:/?#@!$&'*+,;=%"}.find(c) != std::string_view::npos;
}

} // namespace

std::string one_line(std::string_view text) {
    std::string line{text};
    std::ranges::replace_if(line, is_control, ' ');
    return line;
}

std::string shortened(std::string_view text, std::size_t limit) {
    if (text.size() <= limit) return std::string{text};
    auto end = limit > ellipsis.size() ? limit - ellipsis.size() : 0;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    return std::string{text.substr(0, end)}.append(ellipsis);
}

std::string inline_text(std::string_view text) {
    std::string shown;
    shown.reserve(text.size() + 16);
    char before = ' ';
    for (const char c : one_line(text)) {
        const auto entity = entity_of(c);
        if (!entity.empty()) {
            shown += entity;
        } else if (c == '/' && shown.empty()) {
            shown += "&#47;"; // GitLab would run a line that begins with it
        } else if (c == '@' && !is_word(before)) {
            shown +=
                "@&#8203;"; // mentions are looked for in what an entity became, so something must stand between
        } else {
            shown += c;
        }
        before = c;
    }
    return shown;
}

std::string code_span(std::string_view text) {
    auto line = one_line(text);
    if (line.find_first_not_of(' ') == std::string::npos) return {};
    const std::string fence(longest_run(line, '`') + 1, '`');
    const bool touches = line.front() == '`' || line.back() == '`';
    std::string shown = fence;
    if (touches) shown += ' ';
    for (const char c : line) {
        if (c == '|') shown += '\\'; // in tables only this keeps the cell together
        shown += c;
    }
    if (touches) shown += ' ';
    return shown += fence;
}

std::string fenced(std::string_view language, std::string_view text, std::size_t limit) {
    const std::string fence(std::max<std::size_t>(3, longest_run(text, '`') + 1), '`');
    constexpr std::string_view cut_mark = "… (cut)\n";
    const auto frame = 2 * fence.size() + language.size() + 2 + cut_mark.size() + 1;
    if (limit <= frame) return {};
    std::string block = fence;
    block.append(language).append("\n");
    if (text.size() <= limit - frame) {
        block += text;
        if (!text.empty() && text.back() != '\n') block += '\n';
    } else {
        const auto end = text.substr(0, limit - frame).rfind('\n');
        if (end == std::string_view::npos) return {};
        block.append(text.substr(0, end + 1)).append(cut_mark);
    }
    return block.append(fence).append("\n");
}

std::string link(std::string_view url) {
    const bool web = url.starts_with("https://") || url.starts_with("http://");
    if (!web || !std::ranges::all_of(url, is_plain_in_urls)) return {};
    return "<" + std::string{url} + ">";
}

} // namespace sluice::promotion::text
