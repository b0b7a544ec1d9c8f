#include "net/tls_stream.hpp"

#include <openssl/err.h>
#include <sys/socket.h>

#include <cerrno>

namespace sluice::net {

namespace {

tls_stream::progress of_socket(ssize_t returned, tls_stream::state blocked) {
    if (returned > 0) return {tls_stream::state::done, static_cast<std::size_t>(returned)};
    if (returned == 0) return {tls_stream::state::closed, 0};
    if (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR) return {blocked, 0};
    return {tls_stream::state::failed, 0};
}

} // namespace

tls_stream::state tls_stream::classify(int returned) {
    switch (SSL_get_error(ssl_.get(), returned)) {
    case SSL_ERROR_NONE: return state::done;
    case SSL_ERROR_WANT_READ: return state::want_read;
    case SSL_ERROR_WANT_WRITE: return state::want_write;
    case SSL_ERROR_ZERO_RETURN: return state::closed;
    default:
        // After such an error OpenSSL forbids further calls, SSL_shutdown among them.
        SSL_set_quiet_shutdown(ssl_.get(), 1);
        return state::failed;
    }
}

tls_stream::state tls_stream::try_handshake() {
    ERR_clear_error();
    return classify(SSL_do_handshake(ssl_.get()));
}

tls_stream::progress tls_stream::try_read(std::span<char> into) {
    if (!ssl_) {
        return of_socket(
            ::recv(socket_.native_handle(), into.data(), into.size(), 0), state::want_read
        );
    }
    ERR_clear_error();
    std::size_t got = 0;
    const int returned = SSL_read_ex(ssl_.get(), into.data(), into.size(), &got);
    if (returned == 1) return {state::done, got};
    return {classify(returned), 0};
}

tls_stream::progress tls_stream::try_write(std::string_view bytes) {
    if (!ssl_) {
        return of_socket(
            ::send(socket_.native_handle(), bytes.data(), bytes.size(), MSG_NOSIGNAL),
            state::want_write
        );
    }
    ERR_clear_error();
    std::size_t sent = 0;
    const int returned = SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent);
    if (returned == 1) return {state::done, sent};
    return {classify(returned), 0};
}

tls_stream::progress tls_stream::try_discard(std::span<char> into) {
    return of_socket(
        ::recv(socket_.native_handle(), into.data(), into.size(), 0), state::want_read
    );
}

void tls_stream::say_goodbye() {
    if (said_goodbye_ || !ssl_ || SSL_is_init_finished(ssl_.get()) != 1) return;
    said_goodbye_ = true; // a second SSL_shutdown would wait for the peer's
    ERR_clear_error();
    SSL_shutdown(ssl_.get());
}

void tls_stream::end_writing() {
    say_goodbye();
    ::shutdown(socket_.native_handle(), SHUT_WR);
}

void tls_stream::expire(clock::time_point now) {
    if (now < deadline_) return;
    deadline_ = clock::time_point::max();
    expired_ = true;
    interrupt();
}

void tls_stream::interrupt() {
    boost::system::error_code ignored;
    socket_.cancel(ignored);
}

void tls_stream::close() {
    boost::system::error_code ignored;
    socket_.close(ignored);
}

} // namespace sluice::net
