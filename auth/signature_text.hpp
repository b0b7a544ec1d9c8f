#pragma once

#include "auth/signature.hpp"

#include <array>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// The text of each signature header, read without keys.
namespace sluice::auth {

// What a header claims: these MACs, any of which is enough, by this hash.
struct signature_claim {
    auth::hash hash = hash::sha256;
    std::vector<std::string> macs;
};

// A Standard Webhooks claim covers id "." timestamp "." body.
struct standard_claim {
    std::string_view id;
    std::string_view timestamp;
    time_point signed_at;
    std::vector<std::string> macs;

    [[nodiscard]] std::array<std::string_view, 5> content(std::string_view body) const noexcept {
        return {id, ".", timestamp, ".", body};
    }
};

template <class Claim>
using reading = std::variant<Claim, signature_failure>;

// "<algorithm>=<hex>", the header exactly once. `v1` is the algorithm name of the bound form, sha256 only.
[[nodiscard]] reading<signature_claim> read_x_signature(std::span<const std::string_view> values);
[[nodiscard]] reading<signature_claim> read_x_hub_signature(std::span<const std::string_view> values
);
[[nodiscard]] reading<signature_claim> read_bound_signature(std::span<const std::string_view> values
);

// Only v1 signatures count, others (v1a is asymmetric) are passed over.
[[nodiscard]] reading<standard_claim> read_standard(const signature_headers& headers);

} // namespace sluice::auth
