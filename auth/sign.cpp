#include "auth/sign.hpp"

#include "auth/bound_signature.hpp"
#include "auth/freshness.hpp"
#include "auth/key_ring.hpp"
#include "auth/random.hpp"
#include "base/bytes.hpp"

#include <array>

namespace sluice::auth {
namespace {

using headers = std::vector<header>;

std::string body_signature(const hmac_key& key, std::string_view body) {
    const std::array<std::string_view, 1> content{body};
    return "sha256=" + to_hex(key.mac(hash::sha256, content).span());
}

result<headers> sign_standard(const hmac_key& key, const signing_order& order) {
    const bool joinable =
        !order.message_id.empty() && order.message_id.find('.') == std::string_view::npos;
    if (!joinable) {
        return error{
            errc::invalid_argument, "a Standard Webhooks message id must not be empty or have a dot"
        };
    }
    const auto timestamp = format_unix_time(order.now);
    const std::array<std::string_view, 5> content{
        order.message_id, ".", timestamp, ".", order.body
    };
    const auto mac = key.mac(hash::sha256, content);
    return headers{
        {"webhook-id", std::string{order.message_id}},
        {"webhook-timestamp", timestamp},
        {"webhook-signature", "v1," + to_base64(mac.view())},
    };
}

result<headers> sign_bound(const hmac_key& key, const signing_order& order) {
    const bool whole_path =
        order.path.starts_with('/') && order.path.find_first_of("?\n") == std::string_view::npos;
    if (order.method.empty() || !whole_path) {
        return error{
            errc::invalid_argument,
            "the bound scheme signs method and path: give both, the path from its first '/' and "
            "without a query"
        };
    }
    const auto timestamp = format_unix_time(order.now);
    const bound_request request{.method = order.method, .path = order.path, .body = order.body};
    return headers{
        {"X-Sluice-Timestamp", timestamp}, {"X-Signature", bound_signature(key, request, timestamp)}
    };
}

} // namespace

std::optional<scheme> parse_scheme(std::string_view name) noexcept {
    if (name == "flux") return scheme::flux;
    if (name == "standard") return scheme::standard;
    if (name == "github") return scheme::github;
    if (name == "bound") return scheme::bound;
    return std::nullopt;
}

result<headers> sign(const secret_string& key, const signing_order& order) {
    const auto form = order.scheme == scheme::standard ? key_form::standard : key_form::text;
    auto bytes = key_bytes(key, form);
    if (bytes.empty()) {
        return error{
            errc::invalid_argument, "the key is empty: put at least 32 random bytes into it"
        };
    }
    const hmac_key signer{std::move(bytes.front())};
    switch (order.scheme) {
    case scheme::flux: return headers{{"X-Signature", body_signature(signer, order.body)}};
    case scheme::github:
        return headers{{"X-Hub-Signature-256", body_signature(signer, order.body)}};
    case scheme::standard: return sign_standard(signer, order);
    case scheme::bound: return sign_bound(signer, order);
    }
    return error{errc::internal, "unknown signature scheme"};
}

std::string new_message_id() {
    const auto bytes = random_bytes(16);
    return "msg_" + to_hex({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}

} // namespace sluice::auth
