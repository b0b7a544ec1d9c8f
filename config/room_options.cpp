#include "config/room_options.hpp"

#include <algorithm>
#include <thread>

namespace sluice::config {

intake::options intake_options(const settings& s) {
    return {.freshness = s.auth.freshness};
}

server::event_options event_options(const settings& s) {
    server::event_options o;
    o.unauthorized_delay = s.auth.unauthorized_delay;
    o.allow_unsigned.insert(s.auth.allow_unsigned.begin(), s.auth.allow_unsigned.end());
    for (const auto& network : s.auth.trusted_proxies) {
        if (const auto parsed = auth::ip_network::parse(network))
            o.trusted_proxies.push_back(*parsed);
    }
    o.failures = s.auth.failures;
    o.senders = s.auth.senders;
    return o;
}

embedded::ledger_options ledger_options(const settings& s) {
    auto o = s.ledger;
    o.freshness =
        s.auth
            .freshness; // digests are remembered exactly as long as their events could be accepted
    return o;
}

std::size_t network_threads(const settings& s) {
    return s.threads != 0 ? s.threads : std::max(1U, std::thread::hardware_concurrency());
}

std::size_t open_files_needed(const settings& s) {
    // Per thread: an epoll, an eventfd, a timer and one acceptor for each listener.
    const auto loops = network_threads(s) * (4 + s.listen.size());
    return s.limits.connections + s.limits.refusals + loops + 128;
}

} // namespace sluice::config
