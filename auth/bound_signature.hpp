#pragma once

#include "auth/signature.hpp"

#include <string>
#include <string_view>
#include <vector>

// The form for programs that approve: it covers method and path, so that a signature for one approval is worth
// nothing at another, and the time, so that it is worth nothing later.
//   X-Sluice-Timestamp: <unix seconds>
//   X-Signature: v1=<hex HMAC-SHA256(key, method "\n" path "\n" timestamp "\n" body)>
namespace sluice::auth {

struct bound_request {
    std::string_view method;
    // As sent, still percent-encoded, without the query, which is not signed: do not act on it.
    std::string_view path;
    std::string_view body;
};

struct bound_headers {
    std::vector<std::string_view> x_sluice_timestamp;
    std::vector<std::string_view> x_signature;
};

[[nodiscard]] verification verify_bound(
    const bound_headers& headers, const bound_request& request, const key_ring& keys, time_point now
);

// The value of X-Signature for a request signed at `timestamp`.
[[nodiscard]] std::string
bound_signature(const hmac_key& key, const bound_request& request, std::string_view timestamp);

} // namespace sluice::auth
