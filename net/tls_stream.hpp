#pragma once

#include "net/openssl.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/basic_stream_socket.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <cstddef>
#include <span>
#include <string_view>

namespace sluice::net {

// One connection, TCP or unix, with OpenSSL directly on the socket, or without TLS. asio::ssl::stream keeps 77 kB for an
// idle connection, this 16 kB. SIGPIPE must be ignored by the process. Used from one thread.
class tls_stream {
public:
    using socket_type = boost::asio::basic_stream_socket<
        boost::asio::generic::stream_protocol,
        boost::asio::io_context::executor_type>;
    using clock = std::chrono::steady_clock;

    enum class state { done, want_read, want_write, closed, failed };
    struct progress {
        tls_stream::state state;
        std::size_t bytes;
    };

    // Without `ssl` the bytes go in the clear.
    tls_stream(socket_type socket, ssl_ptr ssl) noexcept
        : socket_(std::move(socket)), ssl_(std::move(ssl)) {}

    [[nodiscard]] bool secure() const noexcept { return ssl_ != nullptr; }
    // Null without TLS.
    [[nodiscard]] const SSL* ssl() const noexcept { return ssl_.get(); }
    // From here on the bytes are encrypted; `ssl` stands on this socket. For a client behind a proxy.
    void start_tls(ssl_ptr ssl) noexcept { ssl_ = std::move(ssl); }
    [[nodiscard]] int native_handle() { return socket_.native_handle(); }

    // One try each, never waiting.
    [[nodiscard]] state try_handshake();
    [[nodiscard]] progress try_read(std::span<char> into);
    [[nodiscard]] progress try_write(std::string_view bytes);
    // Reads what comes without decrypting it, to let a refused peer finish.
    [[nodiscard]] progress try_discard(std::span<char> into);
    // Sends TLS's close_notify, once: the last thing before the stream goes.
    void say_goodbye();
    // The same, and ends the sending half; the peer may still send.
    void end_writing();

    // True when a read may succeed although the socket has nothing new.
    [[nodiscard]] bool has_buffered() const noexcept {
        return ssl_ != nullptr && SSL_has_pending(ssl_.get()) == 1;
    }

    // co_await stream.wait(want): an error means that the deadline passed or the wait was interrupted. Without a wait in
    // progress neither has an effect, so whoever waits looks at its flags first.
    [[nodiscard]] auto wait(state want) {
        return socket_.async_wait(
            want == state::want_write ? socket_type::wait_write : socket_type::wait_read,
            boost::asio::as_tuple(boost::asio::deferred)
        );
    }

    // The owner's sweep calls expire(); there is no timer for each connection.
    void deadline_in(clock::duration d) {
        deadline_ = clock::now() + d;
        expired_ = false;
    }
    void no_deadline() noexcept { deadline_ = clock::time_point::max(); }
    void expire(clock::time_point now);
    // Since the last deadline_in().
    [[nodiscard]] bool expired() const noexcept { return expired_; }
    // Ends the wait in progress, if any.
    void interrupt();
    void close();

private:
    [[nodiscard]] state classify(int returned);

    socket_type socket_;
    ssl_ptr ssl_;
    clock::time_point deadline_ = clock::time_point::max();
    bool expired_ = false;
    bool said_goodbye_ = false;
};

} // namespace sluice::net
