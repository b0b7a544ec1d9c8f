#include "pipeline/event_text.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::pipeline {
namespace {

constexpr std::size_t longest = 512;

bool is_control(char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
}

bool continues_a_character(char c) {
    return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U;
}

} // namespace

outcome check_word(const json_members& members, std::string_view name, std::string_view text) {
    if (text.size() > longest) {
        return error{
            errc::invalid_argument,
            fmt::format(
                "{}: is longer than {} bytes ({})", members.path_of(name), longest, text.size()
            )
        };
    }
    const auto forbidden = [](char c) { return is_control(c) || c == ' '; };
    if (std::ranges::any_of(text, forbidden)) {
        return error{
            errc::invalid_argument,
            fmt::format("{}: must not hold blanks or control characters", members.path_of(name))
        };
    }
    return {};
}

std::string first_line(std::string_view text) {
    text = text.substr(0, text.find('\n'));
    if (text.size() > longest) {
        auto end = longest;
        while (end > 0 && continues_a_character(text[end])) --end;
        text = text.substr(0, end);
    }
    std::string line{text};
    std::erase_if(line, is_control);
    return line;
}

} // namespace sluice::pipeline
