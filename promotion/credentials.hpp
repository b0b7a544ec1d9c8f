#pragma once

#include "home/secrets.hpp"
#include "net/http_client.hpp"
#include "pipeline/pipeline.hpp"
#include "promotion/git/repository.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace sluice::promotion {

// What one Secret gives: the login of git and the token of the forge's API.
struct credentials {
    git::login login;
    secret_string
        token; // of the API; empty: username and password are used where the forge allows it
    std::string username;
    secret_string password;
    std::shared_ptr<const net::client_tls> tls; // for both
    std::string
        identity; // whose limits the forge counts: the same when a token was renewed; no secret
};

// Keys of the Secret: username, password, token, bearerToken, caFile or ca.crt, tls.crt, tls.key, githubAppID,
// githubAppInstallationID, githubAppPrivateKey. A missing or contradicting key is errc::unprocessable and names it.
// For a GitHub App a short-lived token is asked for and kept until it is nearly over.
class credential_source {
public:
    credential_source(net::http_client& client, const clock& time);
    ~credential_source();
    [[nodiscard]] boost::asio::awaitable<result<credentials>> resolve(
        home::secret_ptr secret,
        std::string secret_name,
        pipeline::forge type,
        std::string url,
        std::string api_url
    );

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace sluice::promotion
