#pragma once

#include "observe/metrics.hpp"
#include "server/router.hpp"

#include <array>
#include <chrono>
#include <string>
#include <vector>

namespace sluice::server {

// One route's series, looked up once.
class route_metrics {
public:
    route_metrics(observe::registry& registry, const std::string& route);
    void answered(int status, std::chrono::steady_clock::duration took) noexcept;

private:
    std::array<observe::counter*, 5> by_class_; // 1xx to 5xx
    observe::histogram& seconds_;
};

// One entry per route of the router, in its order.
[[nodiscard]] std::vector<route_metrics>
metrics_of(observe::registry& registry, const router& routes);

struct http_metrics {
    explicit http_metrics(observe::registry& registry);

    observe::gauge& connections_open;
    observe::counter& refused_total;
    observe::counter& refused_address;
    observe::counter& refused_resources; // no file descriptor, no memory
    observe::counter& handshakes_ok;
    observe::counter& handshakes_failed;
    observe::counter& framing_errors;
    observe::counter& timeouts;
    route_metrics unrouted; // no route, or refused before there could be one
};

} // namespace sluice::server
