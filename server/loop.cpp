#include "server/loop.hpp"

#include "observe/log.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <netinet/in.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <memory>

namespace sluice::server {

namespace asio = boost::asio;

namespace {

// Accepted in one turn, so that a flood of connections leaves time for those that are open.
constexpr int accepts_per_turn = 16;

// Deadlines are kept to within a tick: a tenth of the shortest, so that it does not show.
std::chrono::milliseconds tick_for(const limits& l) {
    const auto shortest =
        std::min({l.header_read, l.body_read, l.idle, l.tls_handshake, l.write, l.linger});
    using namespace std::chrono_literals;
    return std::clamp<std::chrono::milliseconds>(shortest / 10, 10ms, 250ms);
}

void tell(const std::exception_ptr& escaped) {
    try {
        std::rethrow_exception(escaped);
    } catch (const std::exception& e) {
        log::error("a connection or listener failed; this is a bug", {{"cause", e.what()}});
    }
}

asio::ip::address address_of(const sockaddr_storage& from) {
    if (from.ss_family == AF_INET) {
        const auto& v4 = reinterpret_cast<const sockaddr_in&>(from);
        return asio::ip::address_v4(ntohl(v4.sin_addr.s_addr));
    }
    if (from.ss_family == AF_INET6) {
        const auto& v6 = reinterpret_cast<const sockaddr_in6&>(from);
        asio::ip::address_v6::bytes_type bytes;
        std::copy_n(v6.sin6_addr.s6_addr, bytes.size(), bytes.begin());
        const asio::ip::address_v6 address(bytes, v6.sin6_scope_id);
        // On a socket for both, IPv4 clients are shown mapped.
        if (address.is_v4_mapped()) return asio::ip::make_address_v4(asio::ip::v4_mapped, address);
        return address;
    }
    return {};
}

} // namespace

loop::loop(service& shared)
    : shared_(shared), tasks_(io_.get_executor(), tell), sweep_timer_(io_),
      tick_(tick_for(shared.bounds)) {
    beat();
}

loop::~loop() {
    io_.stop();
    if (thread_.joinable()) thread_.join();
}

void loop::listen(endpoint& where, unique_fd socket) {
    const int family = where.channel == http::channel::control ? AF_UNIX : AF_INET;
    listening descriptor(io_, asio::generic::stream_protocol(family, 0), socket.release());
    tasks_.spawn(accept_at(where, std::move(descriptor)));
}

void loop::start() {
    tasks_.spawn(sweep());
    thread_ = std::thread([this] {
        io_.run();
        over_ = true;
        ended_.set_value();
    });
}

void loop::drain() {
    asio::post(io_, [this] {
        draining_ = true;
        tasks_.cancel();
        sweep_timer_.cancel();
        for (auto s = open_.begin(); s != open_.end();) (s++)->drain();
    });
}

bool loop::wait_until(std::chrono::steady_clock::time_point deadline) {
    if (!thread_.joinable()) return true;
    const bool done = ended_.get_future().wait_until(deadline) == std::future_status::ready;
    io_.stop();
    thread_.join();
    return done;
}

std::chrono::steady_clock::duration loop::silent_for() const noexcept {
    if (over_) return {};
    const std::chrono::steady_clock::time_point last{
        std::chrono::steady_clock::duration{last_beat_.load(std::memory_order_relaxed)}
    };
    return std::chrono::steady_clock::now() - last;
}

void loop::beat() noexcept {
    last_beat_.store(
        std::chrono::steady_clock::now().time_since_epoch().count(), std::memory_order_relaxed
    );
}

asio::awaitable<void> loop::sweep() {
    co_await asio::this_coro::reset_cancellation_state(asio::disable_cancellation());
    while (!draining_ || !open_.empty()) {
        sweep_timer_.expires_after(tick_);
        co_await sweep_timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        beat();
        const auto now = std::chrono::steady_clock::now();
        for (auto s = open_.begin(); s != open_.end();) (s++)->expire(now);
    }
}

asio::awaitable<void> loop::accept_at(endpoint& where, listening socket) {
    using namespace std::chrono_literals;
    asio::steady_timer pause(io_);
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!draining_) {
        auto [stopped] =
            co_await socket.async_wait(listening::wait_read, asio::as_tuple(asio::use_awaitable));
        if (stopped) break;
        if (accept_waiting(where, socket.native_handle(), accepts_per_turn)) continue;
        shared_.metrics.refused_resources.add();
        pause.expires_after(100ms);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    // Whoever connected before the end is still answered.
    (void)accept_waiting(where, socket.native_handle(), SOMAXCONN);
}

bool loop::accept_waiting(endpoint& where, int socket, int most) {
    for (int i = 0; i < most; ++i) {
        sockaddr_storage from{};
        socklen_t size = sizeof from;
        unique_fd fd{::accept4(
            socket, reinterpret_cast<sockaddr*>(&from), &size, SOCK_NONBLOCK | SOCK_CLOEXEC
        )};
        if (!fd) return errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM;
        if (!adopt(where, std::move(fd), from.ss_family, address_of(from))) return false;
    }
    return true;
}

bool loop::adopt(endpoint& where, unique_fd fd, int family, const asio::ip::address& peer) {
    net::tls_stream::socket_type socket(io_);
    boost::system::error_code unwatchable; // the kernel has no memory to watch it
    socket.assign(asio::generic::stream_protocol(family, 0), fd.get(), unwatchable);
    if (unwatchable) return false;
    const int handle = fd.release();
    auto admission = session::admission::admitted;
    if (where.channel != http::channel::control) {
        using verdict = connection_limiter::verdict;
        const auto entered = shared_.connections.enter(peer);
        if (entered != verdict::admitted) {
            auto& metrics = shared_.metrics;
            (entered == verdict::too_many ? metrics.refused_total : metrics.refused_address).add();
            if (shared_.refusing.fetch_add(1) >= shared_.bounds.refusals) {
                shared_.refusing.fetch_sub(1);
                shared_.connections.leave(peer);
                return true;
            }
            admission = session::admission::refused;
        }
    }
    net::ssl_ptr ssl;
    if (where.tls != nullptr) ssl = where.tls->accept_on(handle);
    const bool usable = where.tls == nullptr || ssl != nullptr;
    auto owner = std::make_unique<session>(
        shared_, where, net::tls_stream(std::move(socket), std::move(ssl)), peer, admission
    );
    if (!usable) {
        shared_.metrics.refused_resources.add();
        return true;
    }
    auto& started = *owner;
    open_.push_back(started);
    if (draining_) started.drain();
    auto ended = [this, owner = std::move(owner)](const std::exception_ptr& escaped) mutable {
        if (escaped) tell(escaped);
        owner.reset();
        if (draining_ && open_.empty()) sweep_timer_.cancel();
    };
    asio::co_spawn(io_, started.run(), std::move(ended));
    return true;
}

} // namespace sluice::server
