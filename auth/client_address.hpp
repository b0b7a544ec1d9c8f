#pragma once

#include "auth/ip_address.hpp"

#include <span>
#include <string_view>

namespace sluice::auth {

// Whom a request comes from. X-Forwarded-For is believed only as far as configured proxies wrote it: from the right,
// the first address that is not a proxy is the client. What cannot be read ends the chain at the proxy that passed it
// on, so nothing a client writes to the left of its own address counts.
[[nodiscard]] ip_address client_address(
    const ip_address& peer,
    std::span<const std::string_view> x_forwarded_for, // each header line as sent, in order
    std::span<const ip_network> proxies
);

} // namespace sluice::auth
