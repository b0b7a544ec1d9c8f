#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "net/address.hpp"

#include <cstddef>
#include <vector>

namespace sluice::server {

// Listening sockets for one address, `count` of them sharing its port (SO_REUSEPORT: the kernel spreads connections over
// them), or a single one for a unix socket (mode 0600). Port 0 in `at` becomes the port that was taken.
[[nodiscard]] result<std::vector<unique_fd>>
open_listeners(net::listen_address& at, std::size_t count);

} // namespace sluice::server
