#pragma once

#include "net/http.hpp"
#include "server/service.hpp"

#include <boost/asio/awaitable.hpp>

namespace sluice::server {

// Finds the route and awaits its handler. What no route fits, and what escapes a handler, becomes a problem. `counted_as`
// is set to the route's metrics when there is one. The arguments outlive the wait: the session awaits it in place.
[[nodiscard]] boost::asio::awaitable<http::response>
dispatch(endpoint& where, http::request& request, route_metrics*& counted_as);

} // namespace sluice::server
