#include "net/client/tls_identities.hpp"

#include <algorithm>

namespace sluice::net::client {

namespace {

constexpr std::size_t most_kept = 64; // a rotated credential leaves its old identity behind

} // namespace

result<std::shared_ptr<tls_identity>> tls_identities::get(const client_tls* tls) {
    static const client_tls plain;
    const client_tls& wanted = tls != nullptr ? *tls : plain;
    const auto digest = digest_of(wanted);
    const auto found =
        std::ranges::find_if(known_, [&](const auto& k) { return k->digest() == digest; });
    if (found != known_.end()) {
        known_.splice(known_.begin(), known_, found);
        return known_.front();
    }
    auto made = tls_identity::make(wanted, digest);
    if (!made) return made.error();
    known_.push_front(*made);
    if (known_.size() > most_kept) known_.pop_back();
    return known_.front();
}

} // namespace sluice::net::client
