#include "config/room_options.hpp"

#include <algorithm>
#include <filesystem>
#include <thread>

namespace sluice::config {

intake::options intake_options(const settings& s) {
    return {.freshness = s.auth.freshness};
}

server::door_options door_options(const settings& s) {
    server::door_options o;
    o.unauthorized_delay = s.auth.unauthorized_delay;
    for (const auto& network : s.auth.trusted_proxies) {
        if (const auto parsed = auth::ip_network::parse(network))
            o.trusted_proxies.push_back(*parsed);
    }
    o.failures = s.auth.failures;
    o.senders = s.auth.senders;
    return o;
}

server::event_options event_options(const settings& s) {
    server::event_options o;
    o.allow_unsigned.insert(s.auth.allow_unsigned.begin(), s.auth.allow_unsigned.end());
    return o;
}

server::approval_options approval_options(const settings& s) {
    server::approval_options o;
    o.weave_approvals.insert(s.auth.weave_approvals.begin(), s.auth.weave_approvals.end());
    return o;
}

net::http_client::options http_options(const variable_lookup& variables) {
    auto found = read_proxies(variables);
    net::http_client::options o;
    o.https_proxy = std::move(found.https);
    o.http_proxy = std::move(found.http);
    o.no_proxy = std::move(found.none);
    return o;
}

promotion::executor_options executor_options(const settings& s, const variable_lookup& variables) {
    promotion::executor_options o;
    o.workers = s.promotion.workers;
    o.caches = std::filesystem::path{s.state} / "git";
    if (!s.local_repositories.empty())
        o.local_repositories = std::filesystem::absolute(s.local_repositories);
    o.author = {s.promotion.author_name, s.promotion.author_email};
    o.first_retry = s.promotion.first_retry;
    o.longest_retry = s.promotion.longest_retry;
    o.poll_every = s.promotion.poll;
    o.look_at_failed = s.promotion.look_at_failed;
    o.wedged_after = s.promotion.wedged_after;
    o.events_address = s.promotion.events_address;
    o.http = http_options(variables);
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
