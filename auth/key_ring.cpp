#include "auth/key_ring.hpp"

#include "auth/random.hpp"
#include "base/bytes.hpp"

#include <openssl/crypto.h>

namespace sluice::auth {
namespace {

constexpr std::string_view standard_prefix = "whsec_";

std::string_view trimmed(std::string_view text) noexcept {
    constexpr std::string_view white = " \t\r\n\v\f";
    const auto first = text.find_first_not_of(white);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(white) - first + 1);
}

secret_string secret(std::string_view bytes) {
    return secret_string{std::string{bytes}};
}

// Lengths are public, bytes are not.
bool same(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && CRYPTO_memcmp(a.data(), b.data(), a.size()) == 0;
}

bool is_key_of(std::string_view name, std::string_view prefix) noexcept {
    if (!name.starts_with(prefix)) return false;
    name.remove_prefix(prefix.size());
    return name.empty() || name.front() == '-';
}

} // namespace

std::vector<secret_string> key_bytes(const secret_string& text, key_form form) {
    const auto core = trimmed(text.reveal());
    if (core.empty() || core == standard_prefix) return {};

    std::vector<secret_string> decoded;
    const bool prefixed = core.starts_with(standard_prefix);
    if (form == key_form::standard) {
        auto bytes = from_base64(prefixed ? core.substr(standard_prefix.size()) : core);
        if (bytes) decoded.emplace_back(std::move(*bytes));
    }
    if (prefixed && !decoded.empty()) return decoded;

    std::vector<secret_string> all;
    all.push_back(secret(core));
    if (core.size() != text.reveal().size()) all.push_back(text);
    if (!decoded.empty()) all.push_back(std::move(decoded.front()));
    return all;
}

key_ring key_ring::from(const secret_data& data, std::string_view prefix) {
    key_ring ring;
    for (const auto& [name, text] : data) {
        if (is_key_of(name, prefix)) ring.add(text);
    }
    return ring;
}

const key_ring& key_ring::decoy() {
    static const key_ring ring = [] {
        key_ring made;
        made.add(secret_string{to_base64(random_bytes(32))});
        return made;
    }();
    return ring;
}

void key_ring::add(const secret_string& text) {
    for (auto& bytes : key_bytes(text, key_form::text)) text_.emplace_back(std::move(bytes));
    for (auto& bytes : key_bytes(text, key_form::standard))
        standard_.emplace_back(std::move(bytes));
}

bool key_ring::signs(
    key_form form,
    hash h,
    std::span<const std::string_view> parts,
    std::span<const std::string> claimed
) const {
    if (empty()) return decoy().signs(form, h, parts, claimed);
    bool matched = false;
    for (const auto& key : form == key_form::text ? text_ : standard_) {
        const auto expected = key.mac(h, parts);
        for (const auto& mac : claimed) matched |= same(expected.view(), mac);
    }
    return matched;
}

} // namespace sluice::auth
