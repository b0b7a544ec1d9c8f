#include "server/forge_signature.hpp"

#include "auth/freshness.hpp"

#include <openssl/crypto.h>

#include <array>
#include <string>

namespace sluice::server {
namespace {

constexpr std::string_view bare_hex_headers[] = {
    "x-gitea-signature",
    "x-forgejo-signature",
    "x-gogs-signature",
};

std::vector<std::string_view> all_values(const http::request& request, std::string_view name) {
    const auto found = request.all(name);
    return {found.begin(), found.end()};
}

// Digests are compared, so that neither length nor place of a difference can be measured.
bool same_text(std::string_view a, std::string_view b) {
    const std::array<std::string_view, 1> first{a};
    const std::array<std::string_view, 1> second{b};
    const auto x = auth::sha256(first);
    const auto y = auth::sha256(second);
    return CRYPTO_memcmp(x.data(), y.data(), x.size()) == 0;
}

// Empty where there is none. A line break at its end is the file's, not the token's.
std::string_view token_of(const home::secret* secret) {
    if (secret == nullptr) return {};
    const auto found = secret->data.find("gitlab-token");
    if (found == secret->data.end()) return {};
    const auto text = found->second.reveal();
    return text.substr(0, text.find_last_not_of(" \t\r\n") + 1);
}

bool is_the_token(std::string_view given, const home::secret* secret) {
    const auto token = token_of(secret);
    return same_text(given, token) && !token.empty();
}

auth::verification unless_old(auth::verification v, time_point now) {
    const auto* proof = std::get_if<auth::verified>(&v);
    const bool old =
        proof != nullptr && proof->signed_at && !auth::within_tolerance(*proof->signed_at, now);
    return old ? auth::signature_failure::outside_tolerance : v;
}

class all_of {
public:
    void add(const auth::verification& v) {
        any_ = true;
        if (const auto* failure = std::get_if<auth::signature_failure>(&v)) {
            if (!failed_) failed_ = *failure;
        } else {
            proof_ = std::get<auth::verified>(v);
        }
    }
    [[nodiscard]] auth::verification verdict() const {
        if (!any_) return auth::signature_failure::missing;
        if (failed_) return *failed_;
        return proof_;
    }

private:
    bool any_ = false;
    std::optional<auth::signature_failure> failed_;
    auth::verified proof_;
};

} // namespace

auth::verification verify_webhook(
    const http::request& request,
    const home::secret* secret,
    const auth::key_ring& keys,
    time_point now
) {
    all_of claims;
    auth::signature_headers standard;
    standard.x_hub_signature_256 = all_values(request, "x-hub-signature-256");
    standard.webhook_id = all_values(request, "webhook-id");
    standard.webhook_timestamp = all_values(request, "webhook-timestamp");
    standard.webhook_signature = all_values(request, "webhook-signature");
    if (!standard.x_hub_signature_256.empty() || !standard.webhook_signature.empty())
        claims.add(unless_old(auth::verify(standard, request.body, keys), now));

    for (const auto value : all_values(request, "x-hub-signature")) {
        if (!value.starts_with("sha256=")) continue;
        auth::signature_headers one;
        one.x_hub_signature_256 = {value};
        claims.add(auth::verify(one, request.body, keys));
    }
    for (const auto name : bare_hex_headers) {
        for (const auto value : all_values(request, name)) {
            const auto as_claim = "sha256=" + std::string{value};
            auth::signature_headers one;
            one.x_hub_signature_256 = {as_claim};
            claims.add(auth::verify(one, request.body, keys));
        }
    }
    for (const auto value : all_values(request, "x-gitlab-token")) {
        if (is_the_token(value, secret)) {
            claims.add(auth::verified{});
        } else {
            claims.add(auth::signature_failure::mismatch);
        }
    }
    return claims.verdict();
}

} // namespace sluice::server
