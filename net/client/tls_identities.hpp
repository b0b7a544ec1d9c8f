#pragma once

#include "base/result.hpp"
#include "net/client/tls_identity.hpp"
#include "net/http_client.hpp"

#include <list>
#include <memory>
#include <string>

namespace sluice::net::client {

// The identities in use, newest first; each costs a walk through the system's roots, so they are kept.
class tls_identities {
public:
    // Null means the system's roots and no client certificate.
    [[nodiscard]] result<std::shared_ptr<tls_identity>> get(const client_tls* tls);

private:
    std::list<std::shared_ptr<tls_identity>> known_;
};

} // namespace sluice::net::client
