#include "yaml/scalar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>

namespace sluice::yaml {
namespace {

using nlohmann::json;

constexpr std::string_view tag_prefix = "tag:yaml.org,2002:";

template <std::size_t N>
bool one_of(std::string_view text, const std::array<std::string_view, N>& words) {
    return std::ranges::find(words, text) != words.end();
}

constexpr auto nulls = std::to_array<std::string_view>({"", "~", "null", "Null", "NULL"});
constexpr auto trues = std::to_array<std::string_view>(
    {"y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON"}
);
constexpr auto falses = std::to_array<std::string_view>(
    {"n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF"}
);
constexpr auto not_finite = std::to_array<std::string_view>(
    {".inf",
     ".Inf",
     ".INF",
     "+.inf",
     "+.Inf",
     "+.INF",
     "-.inf",
     "-.Inf",
     "-.INF",
     ".nan",
     ".NaN",
     ".NAN"}
);

template <class Integer>
std::optional<Integer> all_of(std::string_view digits, int base) {
    Integer value{};
    const auto* end = digits.data() + digits.size();
    const auto [rest, ec] = std::from_chars(digits.data(), end, value, base);
    if (ec != std::errc{} || rest != end || digits.empty()) return std::nullopt;
    return value;
}

std::optional<json> read_integer(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
    int base = 10;
    if (text.size() > 1 && text.front() == '0') {
        const char mark = static_cast<char>(text[1] | 0x20);
        base = mark == 'x' ? 16 : mark == 'b' ? 2 : 8;
        text.remove_prefix(mark == 'x' || mark == 'b' || mark == 'o' ? 2 : 1);
    }
    const auto magnitude = all_of<std::uint64_t>(text, base);
    if (!magnitude) return std::nullopt;
    if (!negative) return json(*magnitude);
    if (*magnitude > std::uint64_t{1} << 63U) return std::nullopt;
    return json(static_cast<std::int64_t>(0 - *magnitude));
}

// [-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?
std::optional<json> read_float(std::string_view text) {
    const bool negative = text.starts_with('-');
    if (negative || text.starts_with('+')) text.remove_prefix(1);
    const char first = text.empty() ? '\0' : text.front();
    if (first != '.' && (first < '0' || first > '9'))
        return std::nullopt; // from_chars also knows "inf" and "nan"
    double value{};
    const auto* end = text.data() + text.size();
    const auto [rest, ec] = std::from_chars(text.data(), end, value);
    if (ec != std::errc{} || rest != end || !std::isfinite(value)) return std::nullopt;
    return json(negative ? -value : value);
}

std::optional<json> read_number(std::string_view text) {
    std::string without;
    if (text.find('_') != std::string_view::npos) {
        std::ranges::copy_if(text, std::back_inserter(without), [](char c) { return c != '_'; });
        text = without;
    }
    if (auto integer = read_integer(text)) return integer;
    return read_float(text);
}

std::optional<json> read_word(std::string_view text) {
    if (one_of(text, nulls)) return json(nullptr);
    if (one_of(text, trues)) return json(true);
    if (one_of(text, falses)) return json(false);
    return std::nullopt;
}

result<json> as_tagged(std::string_view text, std::string_view type) {
    if (type == "str") return json(text);
    auto value = read_word(text);
    if (!value) value = read_number(text);
    const bool fits =
        value &&
        ((type == "null" && value->is_null()) || (type == "bool" && value->is_boolean()) ||
         (type == "int" && value->is_number_integer()) || (type == "float" && value->is_number()));
    if (fits) return std::move(*value);
    return error{
        errc::invalid_argument, fmt::format("this value is not what its tag !!{} says", type)
    };
}

} // namespace

result<json> resolve(std::string_view text, bool plain, std::string_view tag) {
    if (tag == "!") return json(text);
    if (tag.starts_with(tag_prefix)) {
        const auto type = tag.substr(tag_prefix.size());
        if (one_of(
                type, std::to_array<std::string_view>({"str", "null", "bool", "int", "float"})
            )) {
            return as_tagged(text, type);
        }
    }
    if (!tag.empty()) {
        return error{
            errc::invalid_argument, fmt::format("the tag {} is not supported; remove it", tag)
        };
    }
    if (!plain) return json(text);
    if (auto word = read_word(text)) return std::move(*word);
    if (one_of(text, not_finite)) {
        return error{
            errc::invalid_argument, fmt::format("{} is not a number JSON knows; quote it", text)
        };
    }
    if (auto number = read_number(text)) return std::move(*number);
    return json(text);
}

} // namespace sluice::yaml
