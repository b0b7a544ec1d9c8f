#include "auth/signature_text.hpp"

#include "auth/freshness.hpp"
#include "base/bytes.hpp"

#include <algorithm>

namespace sluice::auth {
namespace {

struct named_hash {
    std::string_view name;
    auth::hash hash;
};

constexpr std::array<named_hash, 4> flux_hashes{
    {{"sha224", hash::sha224},
     {"sha256", hash::sha256},
     {"sha384", hash::sha384},
     {"sha512", hash::sha512}}
};
constexpr std::array<named_hash, 1> github_hashes{{{"sha256", hash::sha256}}};
constexpr std::array<named_hash, 1> bound_hashes{{{"v1", hash::sha256}}};

// Enough for any rotation; bounds the work a header of 64 KiB can ask for.
constexpr std::size_t most_signatures = 16;

reading<signature_claim>
read_named_hex(std::span<const std::string_view> values, std::span<const named_hash> known) {
    if (values.size() != 1) return signature_failure::malformed;
    const auto value = values.front();
    const auto eq = value.find('=');
    if (eq == std::string_view::npos || value.find('=', eq + 1) != std::string_view::npos) {
        return signature_failure::malformed;
    }
    const auto found = std::ranges::find(known, value.substr(0, eq), &named_hash::name);
    if (found == known.end()) return signature_failure::unsupported_algorithm;
    auto mac = from_hex(value.substr(eq + 1));
    if (!mac || mac->size() != mac_size(found->hash)) return signature_failure::malformed;
    signature_claim claim{.hash = found->hash, .macs = {}};
    claim.macs.push_back(std::move(*mac));
    return claim;
}

// The signed content is joined with dots, so an id with a dot could be read in two ways.
bool is_message_id(std::string_view id) noexcept {
    return !id.empty() && id.find('.') == std::string_view::npos;
}

reading<std::vector<std::string>> read_v1_signatures(std::string_view list) {
    std::vector<std::string> macs;
    std::size_t seen = 0;
    while (!list.empty()) {
        const auto end = list.find(' ');
        const auto entry = list.substr(0, end);
        list.remove_prefix(end == std::string_view::npos ? list.size() : end + 1);
        if (entry.empty()) continue;
        const auto comma = entry.find(',');
        if (comma == std::string_view::npos || ++seen > most_signatures)
            return signature_failure::malformed;
        if (entry.substr(0, comma) != "v1") continue;
        auto mac = from_base64(entry.substr(comma + 1));
        if (!mac || mac->size() != mac_size(hash::sha256)) return signature_failure::malformed;
        macs.push_back(std::move(*mac));
    }
    if (seen == 0) return signature_failure::malformed;
    if (macs.empty()) return signature_failure::unsupported_algorithm;
    return macs;
}

} // namespace

reading<signature_claim> read_x_signature(std::span<const std::string_view> values) {
    return read_named_hex(values, flux_hashes);
}

reading<signature_claim> read_x_hub_signature(std::span<const std::string_view> values) {
    return read_named_hex(values, github_hashes);
}

reading<signature_claim> read_bound_signature(std::span<const std::string_view> values) {
    return read_named_hex(values, bound_hashes);
}

reading<standard_claim> read_standard(const signature_headers& headers) {
    const bool once = headers.webhook_id.size() == 1 && headers.webhook_timestamp.size() == 1 &&
                      headers.webhook_signature.size() == 1;
    if (!once || !is_message_id(headers.webhook_id.front())) return signature_failure::malformed;
    const auto timestamp = headers.webhook_timestamp.front();
    const auto signed_at = parse_unix_time(timestamp);
    if (!signed_at) return signature_failure::malformed;

    auto macs = read_v1_signatures(headers.webhook_signature.front());
    if (const auto* failure = std::get_if<signature_failure>(&macs)) return *failure;
    return standard_claim{
        .id = headers.webhook_id.front(),
        .timestamp = timestamp,
        .signed_at = *signed_at,
        .macs = std::get<std::vector<std::string>>(std::move(macs)),
    };
}

} // namespace sluice::auth
