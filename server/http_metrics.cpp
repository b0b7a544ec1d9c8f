#include "server/http_metrics.hpp"

#include <algorithm>

namespace sluice::server {

namespace {

observe::counter& requests(observe::registry& r, const std::string& route, const char* status) {
    return r.counter(
        "sluice_http_requests_total",
        "Answered requests by route and class of status.",
        {{"route", route}, {"status", status}}
    );
}

observe::counter& refused(observe::registry& r, const char* reason) {
    return r.counter(
        "sluice_http_connections_refused_total",
        "Connections turned away by reason.",
        {{"reason", reason}}
    );
}

observe::counter& handshakes(observe::registry& r, const char* outcome) {
    return r.counter(
        "sluice_tls_handshakes_total", "TLS handshakes by outcome.", {{"outcome", outcome}}
    );
}

} // namespace

route_metrics::route_metrics(observe::registry& registry, const std::string& route)
    : by_class_{
          &requests(registry, route, "1xx"),
          &requests(registry, route, "2xx"),
          &requests(registry, route, "3xx"),
          &requests(registry, route, "4xx"),
          &requests(registry, route, "5xx"),
      },
      seconds_(registry.histogram(
          "sluice_http_request_seconds",
          "From the last byte of a request to its answer.",
          observe::latency_bounds(),
          {{"route", route}}
      )) {}

void route_metrics::answered(int status, std::chrono::steady_clock::duration took) noexcept {
    by_class_[static_cast<std::size_t>(std::clamp(status / 100, 1, 5) - 1)]->add();
    seconds_.observe(std::chrono::duration<double>(took).count());
}

std::vector<route_metrics> metrics_of(observe::registry& registry, const router& routes) {
    std::vector<route_metrics> all;
    for (const auto& r : routes.routes()) all.emplace_back(registry, r.name);
    return all;
}

http_metrics::http_metrics(observe::registry& r)
    : connections_open(r.gauge("sluice_http_connections", "Open connections.")),
      refused_total(refused(r, "total")), refused_address(refused(r, "address")),
      refused_resources(refused(r, "resources")), handshakes_ok(handshakes(r, "ok")),
      handshakes_failed(handshakes(r, "failed")),
      framing_errors(r.counter(
          "sluice_http_framing_errors_total",
          "Requests refused because they were not strict HTTP/1.1."
      )),
      timeouts(r.counter("sluice_http_timeouts_total", "Requests that came too slowly.")),
      unrouted(r, "none") {}

} // namespace sluice::server
