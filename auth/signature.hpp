#pragma once

#include "auth/key_ring.hpp"
#include "base/clock.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::auth {

// The signature headers of one request, each as often as it was sent. Views into the request.
struct signature_headers {
    std::vector<std::string_view> x_signature;         // Flux generic-hmac: "sha256=<hex>"
    std::vector<std::string_view> x_hub_signature_256; // GitHub, Gitea: "sha256=<hex>"
    std::vector<std::string_view> webhook_id;          // Standard Webhooks
    std::vector<std::string_view> webhook_timestamp;
    std::vector<std::string_view> webhook_signature; // "v1,<base64> v1,<base64>"
};

// Why a request was not believed; told to metrics and logs, never to the caller.
enum class signature_failure { missing, malformed, unsupported_algorithm, mismatch, outside_tolerance };
[[nodiscard]] std::string_view to_string(signature_failure f) noexcept;

struct verified {
    std::optional<time_point> signed_at;    // the time a Standard Webhooks signature covers
    std::array<std::uint8_t, 32> digest{}; // SHA-256 of the signed content: the same bytes give the same digest
};

// Constant time over the raw bytes. Several signature headers of supported schemes: all must verify.
[[nodiscard]] std::variant<verified, signature_failure>
verify(const signature_headers& headers, std::string_view body, const key_ring& keys, time_point now);

} // namespace sluice::auth
