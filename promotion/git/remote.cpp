#include "auth/digest.hpp"
#include "base/bytes.hpp"
#include "promotion/git/repository.hpp"

#include <array>
#include <string_view>

namespace sluice::promotion::git {

std::string remote::key() const {
    static const net::client_tls no_tls;
    const auto& tls = login.tls ? *login.tls : no_tls;
    // A zero byte between two parts, so that no two logins give the same bytes.
    constexpr std::string_view next{"\0", 1};
    const std::array<std::string_view, 13> parts{
        url,
        next,
        login.username,
        next,
        login.identity.empty() ? login.password.reveal() : login.identity,
        next,
        login.identity.empty() ? login.bearer.reveal() : std::string_view{},
        next,
        tls.ca_pem,
        next,
        tls.certificate_pem,
        next,
        tls.key_pem.reveal(),
    };
    const auto digest = auth::sha256(parts);
    return to_hex(std::span{digest}.first(16));
}

} // namespace sluice::promotion::git
