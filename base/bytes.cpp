#include "base/bytes.hpp"

namespace sluice {
namespace {

constexpr std::string_view hex_digits = "0123456789abcdef";
constexpr std::string_view base64_digits =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

int hex_value(char c) noexcept {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

// Length of the sequence a lead byte opens, and the smallest code point it may encode.
struct utf8_lead {
    int length;
    std::uint32_t smallest;
    std::uint32_t bits;
};

utf8_lead classify(std::uint8_t c) noexcept {
    if (c < 0x80) return {1, 0, c};
    if ((c & 0xe0U) == 0xc0U) return {2, 0x80, c & 0x1fU};
    if ((c & 0xf0U) == 0xe0U) return {3, 0x800, c & 0x0fU};
    if ((c & 0xf8U) == 0xf0U) return {4, 0x10000, c & 0x07U};
    return {0, 0, 0};
}

} // namespace

std::string to_hex(std::span<const std::uint8_t> bytes) {
    std::string text;
    text.reserve(bytes.size() * 2);
    for (const auto b : bytes) {
        text += hex_digits[b >> 4U];
        text += hex_digits[b & 0x0fU];
    }
    return text;
}

std::optional<std::string> from_hex(std::string_view text) {
    if (text.size() % 2 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 2);
    for (std::size_t i = 0; i < text.size(); i += 2) {
        const int high = hex_value(text[i]);
        const int low = hex_value(text[i + 1]);
        if (high < 0 || low < 0) return std::nullopt;
        bytes += static_cast<char>(high * 16 + low);
    }
    return bytes;
}

std::string to_base64(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t k = 0; k < 3; ++k) {
            group = group << 8U;
            if (i + k < bytes.size()) group |= static_cast<std::uint8_t>(bytes[i + k]);
        }
        for (std::size_t k = 0; k < 4; ++k) {
            const bool padding = i + k > bytes.size();
            text += padding ? '=' : base64_digits[(group >> (18U - 6U * k)) & 0x3fU];
        }
    }
    return text;
}

std::optional<std::string> from_base64(std::string_view text) {
    if (text.size() % 4 != 0) return std::nullopt;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    for (std::size_t i = 0; i < text.size(); i += 4) {
        std::uint32_t group = 0;
        std::size_t padding = 0;
        for (std::size_t k = 0; k < 4; ++k) {
            const char c = text[i + k];
            if (c == '=' && i + 4 == text.size() && k >= 2) {
                ++padding;
                group <<= 6U;
                continue;
            }
            const auto value = base64_digits.find(c);
            if (value == std::string_view::npos || padding != 0) return std::nullopt;
            group = (group << 6U) | static_cast<std::uint32_t>(value);
        }
        bytes += static_cast<char>((group >> 16U) & 0xffU);
        if (padding < 2) bytes += static_cast<char>((group >> 8U) & 0xffU);
        if (padding < 1) bytes += static_cast<char>(group & 0xffU);
    }
    return bytes;
}

bool is_utf8(std::string_view text) noexcept {
    std::size_t i = 0;
    while (i < text.size()) {
        const auto lead = classify(static_cast<std::uint8_t>(text[i]));
        if (lead.length == 0 || i + static_cast<std::size_t>(lead.length) > text.size())
            return false;
        std::uint32_t code = lead.bits;
        for (int k = 1; k < lead.length; ++k) {
            const auto c = static_cast<std::uint8_t>(text[i + static_cast<std::size_t>(k)]);
            if ((c & 0xc0U) != 0x80U) return false;
            code = (code << 6U) | (c & 0x3fU);
        }
        const bool surrogate = code >= 0xd800 && code <= 0xdfff;
        if (code < lead.smallest || code > 0x10ffff || surrogate) return false;
        i += static_cast<std::size_t>(lead.length);
    }
    return true;
}

} // namespace sluice
