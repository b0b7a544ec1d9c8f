#include "net/client/dial.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <fmt/format.h>

namespace sluice::net::client {

namespace asio = boost::asio;
using asio::ip::tcp;
using socket_type = tls_stream::socket_type;

namespace {

// getaddrinfo() cannot be interrupted, so its answer comes to a place that outlives the call that asked.
struct lookup {
    explicit lookup(asio::io_context& loop) : resolver(loop), answered(loop) {
        answered.expires_at(steady::time_point::max());
    }
    tcp::resolver resolver;
    asio::steady_timer answered;
    std::vector<tcp::endpoint> found;
    boost::system::error_code failed;
};

asio::awaitable<result<std::vector<tcp::endpoint>>>
resolve(std::string host, std::uint16_t port, call_clock& time) {
    boost::system::error_code not_an_address;
    const auto address = asio::ip::make_address(host, not_an_address);
    if (!not_an_address) co_return std::vector{tcp::endpoint{address, port}};

    time.connecting("the address of " + host);
    auto asked = std::make_shared<lookup>(time.waits().loop());
    auto keep = [asked](const boost::system::error_code& ec, const tcp::resolver::results_type& r) {
        asked->failed = ec;
        for (const auto& entry : r) asked->found.push_back(entry.endpoint());
        asked->answered.cancel();
    };
    const watchdog dog{time.waits(), time.until(), [asked] { asked->answered.cancel(); }};
    if (dog.over()) co_return time.over();
    asked->resolver.async_resolve(
        host, std::to_string(port), tcp::resolver::numeric_service, std::move(keep)
    );
    co_await asked->answered.async_wait(asio::as_tuple(asio::deferred));
    if (dog.over()) {
        asked->resolver.cancel();
        co_return time.over();
    }
    if (asked->failed || asked->found.empty()) {
        co_return error{
            errc::unavailable,
            fmt::format(
                "the address of {} is not known: {}; check the name and the DNS",
                host,
                asked->failed.message()
            )
        };
    }
    co_return std::move(asked->found);
}

} // namespace

asio::awaitable<result<socket_type>> dial(std::string host, std::uint16_t port, call_clock& time) {
    auto endpoints = co_await resolve(host, port, time);
    if (!endpoints) co_return endpoints.error();

    time.connecting("TCP");
    boost::system::error_code last;
    for (std::size_t i = 0; i < endpoints->size(); ++i) {
        // Each address has an equal share of the time left, so that a dead one does not use it all up.
        const auto left = time.until() - steady::now();
        const auto share = left / static_cast<int>(endpoints->size() - i);
        socket_type socket{time.waits().loop().get_executor()};
        const auto interrupt = [&socket] {
            boost::system::error_code ignored;
            socket.cancel(ignored);
        };
        const watchdog dog{time.waits(), steady::now() + share, interrupt};
        const bool is_last = i + 1 == endpoints->size();
        if (dog.over()) co_return time.over();
        auto [failed] =
            co_await socket.async_connect((*endpoints)[i], asio::as_tuple(asio::deferred));
        if (dog.over() && (is_last || time.waits().stopped())) co_return time.over();
        if (!failed && !dog.over()) {
            socket.set_option(tcp::no_delay{true}, failed);
            if (!failed) socket.native_non_blocking(true, failed);
            if (!failed) co_return socket;
        }
        last = failed;
    }
    co_return error{
        errc::unavailable, fmt::format("no connection to {}: {}", host, last.message())
    };
}

} // namespace sluice::net::client
