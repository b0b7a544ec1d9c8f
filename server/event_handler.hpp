#pragma once

#include "intake/intake.hpp"
#include "net/http.hpp"
#include "server/doorkeeper.hpp"
#include "server/key_rings.hpp"
#include "server/router.hpp"

#include <set>
#include <string>
#include <string_view>

namespace sluice::server {

struct event_options {
    // "namespace/name" of the pipelines that may go without a key; all others without one are refused.
    std::set<std::string, std::less<>> allow_unsigned;
};

// POST /{ns}/{pipeline}/{env} and POST /promotion/{ns}/{pipeline}/{env}: Flux events and CI triggers.
class event_handler {
public:
    event_handler(doorkeeper& door, intake::intake& intake, event_options options);

    [[nodiscard]] boost::asio::awaitable<http::response>
    post(http::request& request, const server::params& path);

private:
    [[nodiscard]] belief verify(
        const http::request& request,
        const speaker& who,
        const home::secret* secret,
        std::string_view secret_name
    );
    [[nodiscard]] boost::asio::awaitable<http::response>
    take(http::request& request, const speaker& who, std::string environment, auth::verified proof);

    doorkeeper& door_;
    intake::intake& intake_;
    event_options options_;
    key_rings rings_{"hmac-key"};
};

} // namespace sluice::server
