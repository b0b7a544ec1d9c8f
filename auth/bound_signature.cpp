#include "auth/bound_signature.hpp"

#include "auth/freshness.hpp"
#include "auth/signature_text.hpp"
#include "base/bytes.hpp"

#include <array>

namespace sluice::auth {
namespace {

std::array<std::string_view, 7>
content(const bound_request& r, std::string_view timestamp) noexcept {
    return {r.method, "\n", r.path, "\n", timestamp, "\n", r.body};
}

// A line break in a part would let two requests share one signed text.
bool is_one_line(std::string_view text) noexcept {
    return !text.empty() && text.find('\n') == std::string_view::npos;
}

} // namespace

verification verify_bound(
    const bound_headers& headers, const bound_request& request, const key_ring& keys, time_point now
) {
    if (headers.x_signature.empty()) return signature_failure::missing;
    const auto read = read_bound_signature(headers.x_signature);
    if (const auto* failure = std::get_if<signature_failure>(&read)) return *failure;
    const auto& claim = std::get<signature_claim>(read);

    if (headers.x_sluice_timestamp.size() != 1) return signature_failure::malformed;
    const auto timestamp = headers.x_sluice_timestamp.front();
    const auto signed_at = parse_unix_time(timestamp);
    if (!signed_at || !is_one_line(request.method) || !is_one_line(request.path)) {
        return signature_failure::malformed;
    }
    if (!within_tolerance(*signed_at, now)) return signature_failure::outside_tolerance;

    const auto parts = content(request, timestamp);
    if (!keys.signs(key_form::text, claim.hash, parts, claim.macs))
        return signature_failure::mismatch;
    return verified{.signed_at = signed_at, .digest = sha256(parts)};
}

std::string
bound_signature(const hmac_key& key, const bound_request& request, std::string_view timestamp) {
    return "v1=" + to_hex(key.mac(hash::sha256, content(request, timestamp)).span());
}

} // namespace sluice::auth
