#include "promotion/manifest/scalar_text.hpp"
#include "yaml/scalar.hpp"

#include <algorithm>

// What readers take an unquoted text for. Numbers are told by their form alone: 12e4567 is one, though no double
// holds it.
namespace sluice::promotion {
namespace {

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::size_t take_digits(std::string_view& text) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    const auto count = static_cast<std::size_t>(end - text.begin());
    text.remove_prefix(count);
    return count;
}

bool take(std::string_view& text, std::string_view any_of) {
    if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
    text.remove_prefix(1);
    return true;
}

bool all_in(std::string_view text, std::string_view digits) {
    return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

// 0x1f, 0o17, 0b101
bool is_based(std::string_view text) {
    if (!take(text, "0")) return false;
    if (take(text, "xX")) return all_in(text, "0123456789abcdefABCDEF");
    if (take(text, "oO")) return all_in(text, "01234567");
    return take(text, "bB") && all_in(text, "01");
}

// 12, 12., 1.5, .5, each with an exponent; and 12:30:45.6, minutes and seconds to the base of sixty
bool is_decimal(std::string_view text) {
    const auto whole = take_digits(text);
    if (whole != 0 && text.starts_with(':')) {
        while (take(text, ":")) {
            const auto count = take_digits(text);
            if (count == 0 || count > 2) return false;
        }
        if (take(text, ".")) take_digits(text);
        return text.empty();
    }
    std::size_t part = 0;
    if (take(text, ".")) part = take_digits(text);
    if (whole + part == 0) return false;
    if (take(text, "eE")) {
        take(text, "+-");
        if (take_digits(text) == 0) return false;
    }
    return text.empty();
}

bool is_number(std::string_view text) {
    take(text, "+-");
    if (text.empty() || !(is_digit(text.front()) || text.front() == '.')) return false;
    std::string without; // YAML 1.1 reads over _ between digits
    std::ranges::copy_if(text, std::back_inserter(without), [](char c) { return c != '_'; });
    return is_based(without) || is_decimal(without);
}

// 2026-01-01, alone or with a time behind it
bool is_date(std::string_view text) {
    if (take_digits(text) != 4 || !take(text, "-")) return false;
    const auto month = take_digits(text);
    if (month == 0 || month > 2 || !take(text, "-")) return false;
    const auto day = take_digits(text);
    if (day == 0 || day > 2) return false;
    return text.empty() || take(text, "tT \t");
}

} // namespace

bool reads_as_string(std::string_view text) {
    if (text == "=" || text == "<<" || is_number(text) || is_date(text)) return false;
    const auto kubernetes = yaml::resolve(text, /*plain=*/true, /*tag=*/"");
    return kubernetes && kubernetes->is_string();
}

} // namespace sluice::promotion
