#pragma once

#include "net/address.hpp"
#include "net/tls_context.hpp"
#include "server/body_budget.hpp"
#include "server/connection_limiter.hpp"
#include "server/http_metrics.hpp"
#include "server/limits.hpp"
#include "server/router.hpp"

#include <atomic>
#include <vector>

namespace sluice::server {

// One address we listen on and what is served there.
struct endpoint {
    net::listen_address address;
    const router* routes;
    const net::tls_context* tls; // null without TLS
    http::channel channel;
    std::vector<route_metrics> metrics; // beside routes->routes()
};

// What the sessions of all loops share.
struct service {
    service(const limits& l, observe::registry& registry)
        : bounds(l), bodies(l.unverified_bytes),
          connections(l.connections, l.connections_per_address), metrics(registry) {}

    const limits bounds;
    body_budget bodies;
    connection_limiter connections;
    http_metrics metrics;
    std::atomic<std::size_t> refusing{0}; // connections above a cap that are being told so
};

} // namespace sluice::server
