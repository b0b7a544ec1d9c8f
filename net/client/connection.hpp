#pragma once

#include "base/result.hpp"
#include "net/client/call_clock.hpp"
#include "net/client/tls_identity.hpp"
#include "net/tls_stream.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <span>
#include <string_view>

namespace sluice::net::client {

// One connection to a peer or its proxy. Every wait is bounded by the call's clock.
class connection {
public:
    explicit connection(tls_stream::socket_type socket) : stream_(std::move(socket), nullptr) {}
    ~connection() { stream_.say_goodbye(); } // without it OpenSSL would call the session bad
    connection(const connection&) = delete;
    connection& operator=(const connection&) = delete;

    [[nodiscard]] boost::asio::awaitable<outcome>
    handshake(std::shared_ptr<tls_identity> identity, url peer, call_clock& time);
    // The caller keeps the bytes until it is done.
    [[nodiscard]] boost::asio::awaitable<outcome> write(std::string_view bytes, call_clock& time);
    // 0 when the peer ended it in order. `into` is filled last, with no wait after: callers may share it.
    [[nodiscard]] boost::asio::awaitable<result<std::size_t>>
    read(std::span<char> into, call_clock& time);

    // The peer ended it, in order or not; no deadline of ours did.
    [[nodiscard]] bool cut() const noexcept { return cut_; }
    // False when an idle connection was ended, or the peer talks out of turn.
    [[nodiscard]] bool fit_for_reuse();

private:
    [[nodiscard]] boost::asio::awaitable<outcome>
    wait(tls_stream::state want, const call_clock& time);
    // Lets others have the loop when a fast peer never makes us wait.
    [[nodiscard]] boost::asio::awaitable<outcome> breathe(const call_clock& time);
    [[nodiscard]] error failure(const call_clock& time);

    std::shared_ptr<tls_identity> identity_; // the stream holds a pointer into it
    tls_stream stream_;
    std::size_t without_wait_ = 0;
    bool cut_ = false;
};

} // namespace sluice::net::client
