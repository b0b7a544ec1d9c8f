#pragma once

#include "base/result.hpp"
#include "net/client/connection.hpp"
#include "net/client/proxy.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>

namespace sluice::net::client {

// A new connection ready for the first request: TCP, the proxy's tunnel, TLS. `through` is null without a proxy; `identity`
// is null for http://.
[[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<connection>>>
connect(url peer, const proxy* through, std::shared_ptr<tls_identity> identity, call_clock& time);

// What the proxy itself answered instead of the peer, with the remedy.
[[nodiscard]] error refused_by(const proxy& through, const url& peer, int status);

} // namespace sluice::net::client
