#pragma once

#include "base/clock.hpp"
#include "net/http.hpp"
#include "server/doorkeeper.hpp"
#include "server/key_rings.hpp"
#include "server/router.hpp"

#include <functional>
#include <string_view>

namespace sluice::server {

// POST /forge/{ns}/{pipeline}: the forge tells that something happened to a pull request. What it tells is not believed
// beyond that: the pull requests of the pipeline are looked at again.
class forge_handler {
public:
    using look_again = std::function<void(pipeline::object_name)>;

    forge_handler(doorkeeper& door, const clock& clock, look_again look);

    [[nodiscard]] boost::asio::awaitable<http::response>
    post(http::request& request, const server::params& path);

private:
    [[nodiscard]] belief verify(
        const http::request& request,
        const speaker& who,
        const home::secret* secret,
        std::string_view secret_name
    );

    doorkeeper& door_;
    const clock& clock_;
    look_again look_again_;
    key_rings keys_{"forge-webhook-key"};
};

} // namespace sluice::server
