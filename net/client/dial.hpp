#pragma once

#include "base/result.hpp"
#include "net/client/call_clock.hpp"
#include "net/tls_stream.hpp"

#include <boost/asio/awaitable.hpp>

#include <cstdint>
#include <string>

namespace sluice::net::client {

// A TCP connection to the first address of `host` that accepts one, within the clock's connect deadline. A name lookup that
// hangs holds up neither the loop nor this call.
[[nodiscard]] boost::asio::awaitable<result<tls_stream::socket_type>>
dial(std::string host, std::uint16_t port, call_clock& time);

} // namespace sluice::net::client
