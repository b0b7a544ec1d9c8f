#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::auth {

// An IPv4 or IPv6 address in one form: IPv4 is kept as ::ffff:a.b.c.d, so a mapped address equals the plain one.
class ip_address {
public:
    ip_address() = default; // ::
    [[nodiscard]] static ip_address v4(std::span<const std::uint8_t, 4> bytes) noexcept;
    [[nodiscard]] static ip_address v6(std::span<const std::uint8_t, 16> bytes) noexcept;
    // Plain text form only: no port, no brackets, no zone.
    [[nodiscard]] static std::optional<ip_address> parse(std::string_view text);

    [[nodiscard]] bool is_v4() const noexcept;
    [[nodiscard]] const std::array<std::uint8_t, 16>& bytes() const noexcept { return bytes_; }
    [[nodiscard]] std::string text() const;

    // Keeps the first `bits` of the 128, the rest becomes zero.
    [[nodiscard]] ip_address masked(unsigned bits) const noexcept;

    friend bool operator==(const ip_address&, const ip_address&) = default;

private:
    std::array<std::uint8_t, 16> bytes_{};
};

// "10.0.0.0/8", "fd00::/8", or one address.
class ip_network {
public:
    [[nodiscard]] static std::optional<ip_network> parse(std::string_view text);
    [[nodiscard]] bool contains(const ip_address& a) const noexcept;

private:
    ip_network(const ip_address& base, unsigned bits) : base_(base.masked(bits)), bits_(bits) {}

    ip_address base_;
    unsigned bits_; // of the 128: an IPv4 /8 is kept as /104
};

} // namespace sluice::auth
