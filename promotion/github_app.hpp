#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "base/secret_string.hpp"
#include "net/http_client.hpp"
#include "promotion/forge/repository_place.hpp"

#include <boost/asio/awaitable.hpp>

#include <map>
#include <memory>
#include <string>

namespace sluice::promotion {

struct github_app {
    std::string id;            // or client id
    std::string installation;  // empty: that of the repository's owner
    secret_string private_key; // PEM
};

// RS256, good for nine minutes from `now`, and from a minute before for clocks that are behind.
[[nodiscard]] result<secret_string> app_jwt(const github_app& app, time_point now);

// Tokens of installed GitHub Apps, each kept until five minutes before its end. On the loop of the client.
class github_app_tokens {
public:
    github_app_tokens(net::http_client& client, const clock& time) : client_(client), time_(time) {}

    [[nodiscard]] boost::asio::awaitable<result<secret_string>> token(
        github_app app, forge::repository_place place, std::shared_ptr<const net::client_tls> tls
    );

private:
    struct kept {
        secret_string token;
        time_point until;
    };
    net::http_client& client_;
    const clock& time_;
    std::map<std::string, kept> tokens_;
};

} // namespace sluice::promotion
