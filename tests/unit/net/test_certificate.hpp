#pragma once

#include "net/tls_context.hpp"
#include "tests/support/temp_folder.hpp"

#include <memory>
#include <string>

namespace sluice::tests {

// A certificate of its own CA, good for servers and clients alike.
struct test_certificate {
    std::string certificate_pem;
    std::string key_pem;
};

// `names` as OpenSSL writes them: "DNS:localhost,IP:127.0.0.1". Valid from yesterday for so many days; negative: expired.
[[nodiscard]] test_certificate make_test_certificate(const std::string& names, int days = 1);

// The server side with this certificate; with `client_ca` every client must show one of that CA.
[[nodiscard]] std::unique_ptr<net::tls_context> server_tls(
    const temp_folder& folder, const test_certificate& own, const std::string& client_ca = ""
);

} // namespace sluice::tests
