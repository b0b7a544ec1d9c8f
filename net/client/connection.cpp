#include "net/client/connection.hpp"

#include <boost/asio/post.hpp>
#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>

#include <cerrno>
#include <cstring>

namespace sluice::net::client {

namespace asio = boost::asio;
using stream_state = tls_stream::state;

namespace {

constexpr std::size_t turn = std::size_t{1} << 20U; // bytes moved before others have the loop

bool waits(stream_state s) {
    return s == stream_state::want_read || s == stream_state::want_write;
}

} // namespace

asio::awaitable<outcome> connection::wait(stream_state want, const call_clock& time) {
    const watchdog dog{time.waits(), time.until(), [this] { stream_.interrupt(); }};
    if (dog.over()) co_return time.over();
    without_wait_ = 0;
    auto [interrupted] = co_await stream_.wait(want);
    if (dog.over()) co_return time.over();
    if (interrupted) {
        co_return error{
            errc::unavailable, fmt::format("the call to {} was cancelled", time.host())
        };
    }
    co_return outcome{};
}

asio::awaitable<outcome> connection::breathe(const call_clock& time) {
    if (time.waits().stopped()) co_return time.over();
    if (without_wait_ < turn) co_return outcome{};
    without_wait_ = 0;
    co_await asio::post(asio::deferred);
    if (time.waits().stopped() || time.until() <= steady::now()) co_return time.over();
    co_return outcome{};
}

error connection::failure(const call_clock& time) {
    const int cause = errno;
    cut_ = true;
    const auto queued = stream_.secure() ? ERR_peek_last_error() : 0; // else it is another's
    if (queued != 0 && ERR_GET_REASON(queued) != SSL_R_UNEXPECTED_EOF_WHILE_READING) {
        return tls_failure(stream_.ssl(), time.host());
    }
    ERR_clear_error();
    const char* why = cause != 0 ? std::strerror(cause) : "without TLS's goodbye";
    return {errc::unavailable, fmt::format("{} cut the connection: {}", time.host(), why)};
}

asio::awaitable<outcome>
connection::handshake(std::shared_ptr<tls_identity> identity, url peer, call_clock& time) {
    identity_ = std::move(identity);
    auto ssl = identity_->connect_on(stream_.native_handle(), peer);
    if (!ssl) co_return ssl.error();
    stream_.start_tls(std::move(*ssl));
    errno = 0;
    auto shaken = stream_.try_handshake();
    while (waits(shaken)) {
        auto waited = co_await wait(shaken, time);
        if (!waited) co_return waited.error();
        errno = 0;
        shaken = stream_.try_handshake();
    }
    if (shaken == stream_state::done) co_return outcome{};
    identity_->forget_session(peer);
    co_return failure(time);
}

asio::awaitable<outcome> connection::write(std::string_view bytes, call_clock& time) {
    while (!bytes.empty()) {
        auto breathed = co_await breathe(time);
        if (!breathed) co_return breathed.error();
        errno = 0;
        const auto written = stream_.try_write(bytes);
        if (waits(written.state)) {
            auto waited = co_await wait(written.state, time);
            if (!waited) co_return waited.error();
            continue;
        }
        if (written.state != stream_state::done) co_return failure(time);
        bytes.remove_prefix(written.bytes);
        without_wait_ += written.bytes;
    }
    co_return outcome{};
}

asio::awaitable<result<std::size_t>> connection::read(std::span<char> into, call_clock& time) {
    auto breathed = co_await breathe(time);
    if (!breathed) co_return breathed.error();
    for (;;) {
        errno = 0;
        const auto got = stream_.try_read(into);
        if (waits(got.state)) {
            auto waited = co_await wait(got.state, time);
            if (!waited) co_return waited.error();
            continue;
        }
        if (got.state == stream_state::failed) co_return failure(time);
        if (got.state == stream_state::closed) cut_ = true;
        without_wait_ += got.bytes;
        co_return got.bytes;
    }
}

bool connection::fit_for_reuse() {
    char byte = 0;
    const auto got = stream_.try_read({&byte, 1});
    ERR_clear_error();
    return got.state == stream_state::want_read;
}

} // namespace sluice::net::client
