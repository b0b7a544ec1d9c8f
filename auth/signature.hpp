#pragma once

#include "auth/digest.hpp"
#include "auth/key_ring.hpp"
#include "base/clock.hpp"

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
enum class signature_failure {
    missing,
    malformed,
    unsupported_algorithm,
    mismatch,
    outside_tolerance
};
[[nodiscard]] std::string_view to_string(signature_failure f) noexcept;

struct verified {
    // The time the signature covers, where its scheme has one. Whether that is near enough is the caller's to say.
    std::optional<time_point> signed_at;
    // SHA-256 of the signed content, so the same bytes give the same digest: the body where a body signature was among
    // those verified, else id "." timestamp "." body.
    sha256_digest digest{};
};

using verification = std::variant<verified, signature_failure>;

// Over the raw bytes, in constant time. Several signature headers of supported schemes: all must verify. Headers are
// read before any key is used, so what a malformed one costs tells nothing about the keys. Hex digits in either case
// (Weave took lower case only); `webhook-id` without `webhook-signature` is not a signature.
[[nodiscard]] verification
verify(const signature_headers& headers, std::string_view body, const key_ring& keys);

} // namespace sluice::auth
