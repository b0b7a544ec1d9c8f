#pragma once

#include "base/result.hpp"
#include "net/tls_context.hpp"
#include "observe/metrics.hpp"
#include "server/limits.hpp"
#include "server/router.hpp"

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::server {

// HTTP/1.1 on any number of addresses, served by `loops` threads. Routers, TLS contexts and the registry outlive it; so
// does nothing that may still complete a handler's wait: stop what completes them first, or let stop() finish.
class http_server {
public:
    http_server(const limits& l, std::size_t loops, observe::registry& registry);
    ~http_server();
    http_server(const http_server&) = delete;
    http_server& operator=(const http_server&) = delete;

    // Before start(), any number of times: "https://…", "http://…" or "unix:/path" (the control channel). From here on
    // the port is taken and connections queue up; returns the URL with the real port.
    [[nodiscard]] result<std::string>
    listen(std::string_view url, const router& routes, const net::tls_context* tls = nullptr);
    // In the order they were given.
    [[nodiscard]] std::vector<std::string> urls() const;

    void start();
    // Accepts no more, closes idle connections, finishes requests in hand. Blocks; false when `grace` was too short.
    bool stop(std::chrono::milliseconds grace);

    // The longest time any loop has not come round; /healthz fails when it is too long.
    [[nodiscard]] std::chrono::milliseconds silent_for() const;

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace sluice::server
