#pragma once

#include "home/secrets.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <string>

namespace sluice::server {

// Waits until the Secret was read again, but not beyond `deadline`: a file system or an API server that hangs must not hold
// the request. The reading itself goes on and serves the next one. `from` outlives the loop this runs on.
[[nodiscard]] boost::asio::awaitable<void> refresh_until(
    home::secrets& from,
    std::string ns,
    std::string name,
    std::chrono::steady_clock::time_point deadline
);

} // namespace sluice::server
