#include "auth/ip_address.hpp"

#include <arpa/inet.h>

#include <algorithm>
#include <charconv>

namespace sluice::auth {
namespace {

constexpr std::array<std::uint8_t, 12> mapped_prefix{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

} // namespace

ip_address ip_address::v4(std::span<const std::uint8_t, 4> bytes) noexcept {
    ip_address a;
    const auto rest = std::ranges::copy(mapped_prefix, a.bytes_.begin()).out;
    std::ranges::copy(bytes, rest);
    return a;
}

ip_address ip_address::v6(std::span<const std::uint8_t, 16> bytes) noexcept {
    ip_address a;
    std::ranges::copy(bytes, a.bytes_.begin());
    return a;
}

std::optional<ip_address> ip_address::parse(std::string_view text) {
    // The longest form has 45 characters; inet_pton wants a terminated string and would stop at a NUL.
    if (text.empty() || text.size() > 45 || text.find('\0') != std::string_view::npos)
        return std::nullopt;
    const std::string terminated{text};
    std::array<std::uint8_t, 4> four{};
    if (inet_pton(AF_INET, terminated.c_str(), four.data()) == 1) return v4(four);
    std::array<std::uint8_t, 16> sixteen{};
    if (inet_pton(AF_INET6, terminated.c_str(), sixteen.data()) == 1) return v6(sixteen);
    return std::nullopt;
}

bool ip_address::is_v4() const noexcept {
    return std::equal(mapped_prefix.begin(), mapped_prefix.end(), bytes_.begin());
}

std::string ip_address::text() const {
    std::array<char, INET6_ADDRSTRLEN> buffer{};
    const bool four = is_v4();
    const auto* from = bytes_.data() + (four ? mapped_prefix.size() : 0);
    inet_ntop(four ? AF_INET : AF_INET6, from, buffer.data(), buffer.size());
    return buffer.data();
}

ip_address ip_address::masked(unsigned bits) const noexcept {
    ip_address kept = *this;
    for (unsigned i = 0; i < kept.bytes_.size(); ++i) {
        const unsigned whole = std::clamp(bits, i * 8, i * 8 + 8) - i * 8;
        kept.bytes_.at(i) &= static_cast<std::uint8_t>(0xff00U >> whole);
    }
    return kept;
}

std::optional<ip_network> ip_network::parse(std::string_view text) {
    const auto slash = text.find('/');
    const auto base = ip_address::parse(text.substr(0, slash));
    if (!base) return std::nullopt;
    // "::ffff:10.0.0.0/104" counts its bits as IPv6 does, "10.0.0.0/8" as IPv4 does.
    const bool dotted_only = text.substr(0, slash).find(':') == std::string_view::npos;
    const unsigned width = dotted_only ? 32 : 128;
    unsigned bits = width;
    if (slash != std::string_view::npos) {
        const auto digits = text.substr(slash + 1);
        const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), bits);
        if (ec != std::errc{} || end != digits.data() + digits.size() || bits > width)
            return std::nullopt;
    }
    return ip_network{*base, bits + (128 - width)};
}

bool ip_network::contains(const ip_address& a) const noexcept {
    return a.masked(bits_) == base_;
}

} // namespace sluice::auth
