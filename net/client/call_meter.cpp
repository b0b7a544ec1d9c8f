#include "net/client/call_meter.hpp"

namespace sluice::net::client {

namespace {

// From a call on the same machine to the transfer of a large repository.
std::vector<double> call_bounds() {
    return {0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 600};
}

} // namespace

void call_meter::answered(int status) {
    outcome_ = std::to_string(status / 100) + "xx";
}

call_meter::~call_meter() {
    const std::chrono::duration<double> took = steady::now() - started_;
    metrics_
        .counter(
            "sluice_http_client_requests_total",
            "Outgoing HTTP calls by the class of their answer or the kind of their error.",
            {{"peer", peer_}, {"outcome", outcome_}}
        )
        .add();
    metrics_
        .histogram(
            "sluice_http_client_duration_seconds",
            "Outgoing HTTP calls from their start to the last byte of the answer.",
            call_bounds(),
            {{"peer", peer_}}
        )
        .observe(took.count());
}

} // namespace sluice::net::client
