#pragma once

#include "base/secret_string.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

namespace sluice::auth {

enum class hash { sha224, sha256, sha384, sha512 };

[[nodiscard]] std::size_t mac_size(hash h) noexcept;

// The raw bytes of one MAC, kept off the heap.
struct mac_value {
    std::array<std::uint8_t, 64> bytes{};
    std::size_t size = 0;

    [[nodiscard]] std::span<const std::uint8_t> span() const noexcept {
        return {bytes.data(), size};
    }
    [[nodiscard]] std::string_view view() const noexcept;
};

// One HMAC key. The key schedule is computed once per hash and reused, so a message costs its own bytes only.
class hmac_key {
public:
    explicit hmac_key(secret_string bytes);
    ~hmac_key();
    hmac_key(hmac_key&&) noexcept;
    hmac_key& operator=(hmac_key&&) noexcept;
    hmac_key(const hmac_key&) = delete;
    hmac_key& operator=(const hmac_key&) = delete;

    // The MAC over the parts in order. Safe from many threads at once, without a lock.
    [[nodiscard]] mac_value mac(hash h, std::span<const std::string_view> parts) const;

private:
    struct state;
    std::unique_ptr<state> state_;
};

} // namespace sluice::auth
