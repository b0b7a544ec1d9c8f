#pragma once

#include "auth/key_ring.hpp"
#include "auth/signature.hpp"
#include "base/bytes.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

// What the tests of this room sign and with which keys. MACs below were computed with Python's hmac module.
namespace sluice::auth::signing {

inline constexpr std::string_view body =
    R"({"involvedObject":{"kind":"HelmRelease","namespace":"podinfo","name":"podinfo"},)"
    R"("severity":"info","metadata":{"revision":"6.1.8"}})";
inline constexpr std::string_view key = "hmac-key-of-dev";
inline constexpr std::string_view sha256_mac =
    "eca6a35a79ad0f769ee280bd990b4784fbbe68b7d624521da115f288b13e2cd3";

inline constexpr std::string_view id = "msg_2KWPBgLlAfxdpx2AI54pPJ85f4W";
inline constexpr std::string_view timestamp = "1674087231";
inline const time_point signed_at{std::chrono::seconds{1674087231}};
inline constexpr std::string_view plain_key_v1 = "v1,6IvVRkROyyZvXGVJk0QCmszbNEOGdDclqd0o/WYjjIo=";
inline constexpr std::string_view whsec = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";
inline constexpr std::string_view whsec_v1 = "v1,gbcEs1uGeKHc0z0zd2GJp1WglyS1mu61qXrOYMef43A=";

inline key_ring ring(std::vector<std::pair<std::string, std::string>> entries) {
    key_ring::secret_data data;
    for (auto& [name, text] : entries) data.emplace(name, secret_string{text});
    return key_ring::from(data, "hmac-key");
}

inline key_ring ring_of(std::string_view text) {
    return ring({{"hmac-key", std::string{text}}});
}

inline signature_headers flux(std::string_view value) {
    return {
        .x_signature = {value},
        .x_hub_signature_256 = {},
        .webhook_id = {},
        .webhook_timestamp = {},
        .webhook_signature = {}
    };
}

inline signature_headers standard(std::string_view signature, std::string_view at = timestamp) {
    signature_headers h;
    h.webhook_id = {id};
    h.webhook_timestamp = {at};
    h.webhook_signature = {signature};
    return h;
}

// "verified", or the reason why not.
inline std::string told(const verification& v) {
    const auto* failure = std::get_if<signature_failure>(&v);
    return failure == nullptr ? "verified" : std::string{to_string(*failure)};
}

inline std::string digest_of(const verification& v) {
    return to_hex(std::get<verified>(v).digest);
}

} // namespace sluice::auth::signing
