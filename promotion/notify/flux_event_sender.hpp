#pragma once

#include "base/result.hpp"
#include "net/http_client.hpp"

#include <boost/asio/awaitable.hpp>

#include <string>

namespace sluice::promotion::notify {

// POSTs an event to Flux's notification-controller. 429 there means that it has this very event already, which is
// success. Errors: unavailable and timed_out (transient); unprocessable when the address or the event is refused for
// good.
[[nodiscard]] boost::asio::awaitable<outcome>
send_flux_event(net::http_client& client, std::string address, std::string event);

} // namespace sluice::promotion::notify
