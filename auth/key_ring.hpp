#pragma once

#include "auth/hmac_key.hpp"
#include "base/secret_string.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::auth {

// How the text of a key becomes the bytes that sign. Flux and GitHub take the text itself; Standard Webhooks writes its
// keys as "whsec_<base64>" and signs with what that decodes to.
enum class key_form { text, standard };

// The bytes a key's text may stand for; the first is what we sign with ourselves, the others are also believed. White
// space around a key is tried both ways: notification-controller 1.3 to 1.6 trimmed it, all others do not. A plain key
// is also believed decoded where it is base64, since the Standard Webhooks libraries decode with or without the prefix.
// Nothing for a key that holds no secret (empty, blank, a bare "whsec_").
[[nodiscard]] std::vector<secret_string> key_bytes(const secret_string& text, key_form form);

// All keys that may speak: `hmac-key` and every `hmac-key-*`, so that keys can be rotated. Immutable, safe to share.
class key_ring {
public:
    using secret_data = std::map<std::string, secret_string, std::less<>>;

    // `prefix` is "hmac-key" or "approval-key".
    [[nodiscard]] static key_ring from(const secret_data& data, std::string_view prefix);

    // Stands in where there is no key, so that an unknown pipeline costs what a known one does. Never matches.
    [[nodiscard]] static const key_ring& decoy();

    [[nodiscard]] bool empty() const noexcept { return text_.empty(); }

    // Whether any key signs these parts as any of these raw MACs. Looks at every key and every byte whatever the
    // outcome.
    [[nodiscard]] bool signs(
        key_form form,
        hash h,
        std::span<const std::string_view> parts,
        std::span<const std::string> claimed
    ) const;

private:
    void add(const secret_string& text);

    std::vector<hmac_key> text_;
    std::vector<hmac_key> standard_;
};

} // namespace sluice::auth
