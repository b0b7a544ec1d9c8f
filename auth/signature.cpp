#include "auth/signature.hpp"

#include "auth/signature_text.hpp"

namespace sluice::auth {
namespace {

// Everything the headers claim. All of it must hold.
struct claims {
    std::vector<signature_claim> of_body;
    std::optional<standard_claim> standard;
};

reading<claims> read_claims(const signature_headers& headers) {
    claims all;
    if (!headers.x_signature.empty()) {
        auto read = read_x_signature(headers.x_signature);
        if (const auto* failure = std::get_if<signature_failure>(&read)) return *failure;
        all.of_body.push_back(std::get<signature_claim>(std::move(read)));
    }
    if (!headers.x_hub_signature_256.empty()) {
        auto read = read_x_hub_signature(headers.x_hub_signature_256);
        if (const auto* failure = std::get_if<signature_failure>(&read)) return *failure;
        all.of_body.push_back(std::get<signature_claim>(std::move(read)));
    }
    if (!headers.webhook_signature.empty()) {
        auto read = read_standard(headers);
        if (const auto* failure = std::get_if<signature_failure>(&read)) return *failure;
        all.standard = std::get<standard_claim>(std::move(read));
    }
    if (all.of_body.empty() && !all.standard) return signature_failure::missing;
    return all;
}

} // namespace

std::string_view to_string(signature_failure f) noexcept {
    switch (f) {
    case signature_failure::missing: return "missing";
    case signature_failure::malformed: return "malformed";
    case signature_failure::unsupported_algorithm: return "unsupported_algorithm";
    case signature_failure::mismatch: return "mismatch";
    case signature_failure::outside_tolerance: return "outside_tolerance";
    }
    return "unknown";
}

verification verify(const signature_headers& headers, std::string_view body, const key_ring& keys) {
    const auto read = read_claims(headers);
    if (const auto* failure = std::get_if<signature_failure>(&read)) return *failure;
    const auto& claimed = std::get<claims>(read);

    const std::array<std::string_view, 1> body_content{body};
    bool believed = true;
    for (const auto& claim : claimed.of_body) {
        believed &= keys.signs(key_form::text, claim.hash, body_content, claim.macs);
    }
    verified proof;
    if (claimed.standard) {
        const auto content = claimed.standard->content(body);
        believed &= keys.signs(key_form::standard, hash::sha256, content, claimed.standard->macs);
        proof.signed_at = claimed.standard->signed_at;
    }
    if (!believed) return signature_failure::mismatch;
    proof.digest =
        claimed.of_body.empty() ? sha256(claimed.standard->content(body)) : sha256(body_content);
    return proof;
}

} // namespace sluice::auth
