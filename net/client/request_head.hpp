#pragma once

#include "base/result.hpp"
#include "base/secret_string.hpp"
#include "net/client/proxy.hpp"
#include "net/http_client.hpp"

#include <string>

namespace sluice::net::client {

// The head of the request as sent. With `proxied` (http:// only) the target is the whole URL. errc::invalid_argument when a
// part of it would end its line.
[[nodiscard]] result<secret_string> request_head(const http_call& call, const proxy* proxied);

// "CONNECT HOST:PORT", with the proxy's login.
[[nodiscard]] secret_string connect_head(const url& to, const proxy& through);

} // namespace sluice::net::client
