#include "promotion/manifest/scalar_text.hpp"

#include "base/bytes.hpp"
#include "yaml/line_table.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion {
namespace {

using yaml::scalar_style;

error refuse(std::string_view why) {
    return {errc::unprocessable, std::string{why}};
}

// Control characters and the line breaks of YAML 1.1 have no place in a version; none is ever written.
bool is_one_line(std::string_view value) {
    const auto is_control = [](char c) {
        return static_cast<unsigned char>(c) < 0x20 || c == '\x7f';
    };
    if (value.empty() || !is_utf8(value) || std::ranges::any_of(value, is_control)) return false;
    for (std::size_t i = 0; i + 1 < value.size(); ++i) {
        const auto rest = value.substr(i);
        const bool c1 = rest[0] == '\xC2' && static_cast<unsigned char>(rest[1]) < 0xA0;
        if (c1 || yaml::break_length(rest) != 0 || rest.starts_with(yaml::byte_order_mark)) {
            return false;
        }
    }
    return true;
}

// Narrower than YAML: what is doubtful is quoted.
bool may_stand_plain(std::string_view value, bool flow) {
    constexpr std::string_view indicators = "-?:,[]{}#&*!|>'\"%@` ";
    if (indicators.find(value.front()) != std::string_view::npos || value.back() == ' ') {
        return false;
    }
    if (value.find(": ") != std::string_view::npos || value.back() == ':') return false;
    if (value.find(" #") != std::string_view::npos || value.starts_with("...")) return false;
    if (flow && value.find_first_of(",[]{}:") != std::string_view::npos) return false;
    return reads_as_string(value);
}

std::string in_double_quotes(std::string_view value) {
    std::string out = "\"";
    for (const char c : value) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

std::string in_single_quotes(std::string_view value) {
    std::string out = "'";
    for (const char c : value) {
        if (c == '\'') out += '\'';
        out += c;
    }
    return out + '\'';
}

std::string in_plain(std::string_view value, bool flow) {
    return may_stand_plain(value, flow) ? std::string{value} : in_double_quotes(value);
}

std::size_t leading(std::string_view text, char c) {
    return std::min(text.find_first_not_of(c), text.size());
}

// Only YAML 1.1 takes these characters for line breaks, so readers disagree about what the lines are.
bool has_rare_breaks(std::string_view text) {
    return text.find("\xC2\x85") != std::string_view::npos ||
           text.find("\xE2\x80\xA8") != std::string_view::npos ||
           text.find("\xE2\x80\xA9") != std::string_view::npos;
}

// Header, indentation and the line breaks at the end stay; the lines between become one.
result<scalar_splice>
in_block(std::string_view file, const yaml::syntax_node& scalar, std::string_view value) {
    const yaml::line_table lines{file};
    const auto header_end = lines.line_end(scalar.begin);
    const auto body_begin = header_end + yaml::break_length(file.substr(header_end));
    const auto body = file.substr(0, scalar.end).substr(std::min(body_begin, scalar.end));
    if (has_rare_breaks(body)) {
        return refuse("the marked block scalar holds line breaks other than LF and CR LF");
    }
    const auto first = body.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) {
        return refuse(
            "the marked block scalar is empty; write a value into it, or remove the | or >"
        );
    }
    const auto last = body_begin + body.find_last_not_of(" \t\r\n");
    const auto line = file.substr(lines.line_begin(body_begin + first));
    // An indentation indicator lets the text itself begin with blanks.
    const auto text = std::string_view{scalar.text}.substr(leading(scalar.text, '\n'));
    const auto indent = leading(line, ' ') - std::min(leading(line, ' '), leading(text, ' '));
    const auto breaks = scalar.text.size() - 1 - scalar.text.find_last_not_of('\n');
    return scalar_splice{
        .begin = body_begin,
        .end = lines.line_end(last),
        .bytes = std::string(indent, ' ').append(value),
        .text = std::string{value}.append(breaks, '\n')
    };
}

// A tag that says the value is no string cannot be kept, and must not be lost silently.
bool tag_wants_string(std::string_view tag) {
    return !tag.starts_with("tag:yaml.org,2002:") || tag == "tag:yaml.org,2002:str";
}

} // namespace

result<scalar_splice>
write_scalar(std::string_view file, const yaml::syntax_node& scalar, std::string_view value) {
    if (!is_one_line(value)) {
        return refuse("the new value must be one line of text without control characters");
    }
    if (!tag_wants_string(scalar.tag)) {
        return refuse(fmt::format("the tag {} allows no version here; remove it", scalar.tag));
    }
    if (scalar.begin == yaml::syntax_node::no_place) return refuse("there is no place for a value");
    scalar_splice out{
        .begin = scalar.begin, .end = scalar.end, .bytes = {}, .text = std::string{value}
    };
    switch (scalar.style) {
    case scalar_style::literal:
    case scalar_style::folded: return in_block(file, scalar, value);
    case scalar_style::single_quoted: out.bytes = in_single_quotes(value); break;
    case scalar_style::double_quoted: out.bytes = in_double_quotes(value); break;
    case scalar_style::plain:
        out.bytes = (scalar.missing ? " " : "") + in_plain(value, scalar.flow);
        break;
    }
    return out;
}

} // namespace sluice::promotion
