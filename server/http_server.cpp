#include "server/http_server.hpp"

#include "server/listener.hpp"
#include "server/loop.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>

namespace sluice::server {

namespace {

// Every connection is a descriptor; the soft limit is often 1,024.
void raise_descriptor_limit() {
    rlimit files{};
    if (::getrlimit(RLIMIT_NOFILE, &files) != 0) return;
    files.rlim_cur = files.rlim_max;
    ::setrlimit(RLIMIT_NOFILE, &files);
}

http::channel channel_of(net::transport t) {
    switch (t) {
    case net::transport::https: return http::channel::https;
    case net::transport::http: return http::channel::http;
    case net::transport::unix_socket: break;
    }
    return http::channel::control;
}

} // namespace

struct http_server::impl {
    impl(const limits& l, observe::registry& r) : registry(r), shared(l, r) {}

    observe::registry& registry;
    service shared;
    std::deque<endpoint> endpoints; // sessions refer to them
    std::vector<std::unique_ptr<loop>> loops;
};

http_server::http_server(const limits& l, std::size_t loops, observe::registry& registry)
    : impl_(std::make_unique<impl>(l, registry)) {
    for (std::size_t i = 0; i < std::max<std::size_t>(loops, 1); ++i) {
        impl_->loops.push_back(std::make_unique<loop>(impl_->shared));
    }
}

http_server::~http_server() {
    impl_->loops.clear();
    for (const auto& e : impl_->endpoints) {
        if (e.channel == http::channel::control) ::unlink(e.address.host.c_str());
    }
}

result<std::string>
http_server::listen(std::string_view url, const router& routes, const net::tls_context* tls) {
    auto address = net::parse_listen_url(url);
    if (!address) return address.error();
    const bool secure = address->transport == net::transport::https;
    if (secure && tls == nullptr) {
        return error{
            errc::invalid_argument,
            "no certificate for " + std::string(url) + "; give --tls-cert and --tls-key"
        };
    }
    auto sockets = open_listeners(*address, impl_->loops.size());
    if (!sockets) return sockets.error();
    auto& where = impl_->endpoints.emplace_back(endpoint{
        *address,
        &routes,
        secure ? tls : nullptr,
        channel_of(address->transport),
        metrics_of(impl_->registry, routes),
    });
    for (std::size_t i = 0; i < sockets->size(); ++i) {
        impl_->loops[i]->listen(where, std::move((*sockets)[i]));
    }
    return where.address.url();
}

std::vector<std::string> http_server::urls() const {
    std::vector<std::string> all;
    for (const auto& e : impl_->endpoints) all.push_back(e.address.url());
    return all;
}

void http_server::start() {
    // OpenSSL writes to the socket itself: a peer that is gone must be an error, not a signal.
    std::signal(SIGPIPE, SIG_IGN);
    raise_descriptor_limit();
    for (auto& l : impl_->loops) l->start();
}

bool http_server::stop(std::chrono::milliseconds grace) {
    const auto deadline = std::chrono::steady_clock::now() + grace;
    for (auto& l : impl_->loops) l->drain();
    bool all_done = true;
    for (auto& l : impl_->loops) all_done = l->wait_until(deadline) && all_done;
    return all_done;
}

std::chrono::milliseconds http_server::silent_for() const {
    std::chrono::steady_clock::duration longest{};
    for (const auto& l : impl_->loops) longest = std::max(longest, l->silent_for());
    return std::chrono::duration_cast<std::chrono::milliseconds>(longest);
}

} // namespace sluice::server
