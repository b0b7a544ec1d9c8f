#include "server/session.hpp"

#include "observe/log.hpp"
#include "server/dispatch.hpp"
#include "server/problem.hpp"
#include "server/request_fields.hpp"
#include "server/response_writer.hpp"

#include <array>
#include <utility>

namespace sluice::server {

namespace asio = boost::asio;
using stream_state = net::tls_stream::state;

namespace {

// What was read is copied or used before the next wait, so all connections of a thread share it.
std::span<char> read_buffer() {
    thread_local std::array<char, 16384> buffer;
    return buffer;
}

bool waits(stream_state s) {
    return s == stream_state::want_read || s == stream_state::want_write;
}

} // namespace

session::session(
    service& shared,
    endpoint& where,
    net::tls_stream stream,
    boost::asio::ip::address peer,
    admission admitted
)
    : shared_(shared), where_(where), stream_(std::move(stream)), peer_(std::move(peer)),
      admission_(admitted) {
    shared_.metrics.connections_open.add(1);
}

session::~session() {
    shared_.metrics.connections_open.add(-1);
    if (where_.channel != http::channel::control) shared_.connections.leave(peer_);
    if (admission_ == admission::refused) shared_.refusing.fetch_sub(1);
}

void session::drain() {
    draining_ = true;
    if (idle_) stream_.interrupt();
}

asio::awaitable<void> session::run() {
    if (stream_.secure()) {
        const bool shaken = co_await handshake();
        if (!shaken) co_return;
    }
    if (admission_ == admission::refused) {
        co_await refuse_and_close();
        co_return;
    }
    bool again = true;
    while (again) {
        std::string_view bytes = rest_;
        if (bytes.empty()) {
            idle_ = true;
            stream_.deadline_in(shared_.bounds.idle);
            if (!draining_ && !stream_.has_buffered()) {
                auto [interrupted] = co_await stream_.wait(stream_state::want_read);
                if (over(interrupted) && !draining_) break;
            }
            auto read = stream_.try_read(read_buffer());
            while (waits(read.state) && !draining_) {
                auto [interrupted] = co_await stream_.wait(read.state);
                if (over(interrupted) && !draining_) break;
                read = stream_.try_read(read_buffer());
            }
            idle_ = false;
            if (read.state != stream_state::done) break;
            bytes = {read_buffer().data(), read.bytes};
        }
        again = co_await serve(bytes);
    }
    stream_.say_goodbye();
}

asio::awaitable<bool> session::handshake() {
    stream_.deadline_in(shared_.bounds.tls_handshake);
    auto state = stream_.try_handshake();
    while (waits(state)) {
        auto [interrupted] = co_await stream_.wait(state);
        if (over(interrupted)) break;
        state = stream_.try_handshake();
    }
    const bool ok = state == stream_state::done;
    (ok ? shared_.metrics.handshakes_ok : shared_.metrics.handshakes_failed).add();
    if (!ok && log::enabled(log::level::debug)) {
        const std::string why = stream_.expired() ? "too slow" : net::openssl_error();
        log::debug("TLS handshake failed", {{"peer", peer_.to_string()}, {"cause", why}});
    }
    co_return ok;
}

// One request and its answer; true when another may follow. Lives only while there is something to do.
asio::awaitable<bool> session::serve(std::string_view first_bytes) {
    request_reader reader(shared_.bounds, shared_.bodies);
    stream_.deadline_in(shared_.bounds.header_read);
    route_ = &shared_.metrics.unrouted;
    const std::string kept = std::exchange(rest_, {}); // first_bytes may point into it
    take(reader, kept.empty() ? first_bytes : std::string_view{kept});
    if (!reader.done()) {
        const bool received = co_await receive(reader);
        if (!received) co_return false;
    }
    stream_.no_deadline();

    auto& request = reader.request();
    introduce(request);
    http::response answer;
    if (reader.where() == request_reader::state::refused) {
        answer = refusal_of(reader);
    } else {
        answer = co_await dispatch(where_, request, route_);
    }
    const bool keep_alive = reader.keep_alive() && !answer.close && !draining_ && !crowded();
    route_->answered(answer.status, net::tls_stream::clock::now() - request.received);
    if (log::enabled(log::level::debug)) {
        log::debug(
            "request",
            {request_id_of(request),
             trace_id_of(request),
             {"method", request.method},
             {"path", request.path},
             {"status", answer.status}}
        );
    }
    const response_context context{request.request_id, keep_alive, request.method == "HEAD"};
    std::string wire = serialise(answer, context);
    const bool written = co_await write(std::move(wire));
    if (!written) co_return false;
    const bool unread = reader.where() == request_reader::state::refused || !rest_.empty();
    if (!keep_alive && unread) co_await linger();
    co_return keep_alive;
}

// A wait that was interrupted, or that ended well in the same turn in which its deadline passed.
bool session::over(const boost::system::error_code& interrupted) const noexcept {
    return interrupted.failed() || stream_.expired();
}

// Flux leaves each connection idle for 90 s: near the cap, they are ended while they are known to be done.
bool session::crowded() const noexcept {
    return shared_.connections.open() > shared_.bounds.connections * 3 / 4;
}

void session::take(request_reader& reader, std::string_view bytes) {
    const std::size_t used = reader.feed(bytes);
    if (reader.done()) rest_.assign(bytes.substr(used));
}

// Until the reader is done. False when there is nobody left to answer.
asio::awaitable<bool> session::receive(request_reader& reader) {
    bool in_body = false;
    while (!reader.done()) {
        if (!in_body && reader.where() == request_reader::state::body) {
            in_body = true;
            stream_.deadline_in(shared_.bounds.body_read);
            if (reader.take_continue()) {
                std::string go_on = "HTTP/1.1 100 Continue\r\n\r\n";
                const bool told = co_await write(std::move(go_on));
                if (!told) co_return false;
                stream_.deadline_in(shared_.bounds.body_read);
            }
        }
        const auto read = stream_.try_read(read_buffer());
        if (read.state == stream_state::done) {
            take(reader, {read_buffer().data(), read.bytes});
            continue;
        }
        if (!waits(read.state)) co_return false;
        if (!stream_.expired()) {
            auto [interrupted] = co_await stream_.wait(read.state);
            if (interrupted && !stream_.expired()) co_return false;
        }
        if (stream_.expired()) {
            shared_.metrics.timeouts.add();
            reader.refuse({errc::timed_out, "The request did not arrive in time."});
        }
    }
    co_return true;
}

void session::introduce(http::request& request) const {
    request.received = net::tls_stream::clock::now();
    request.channel = where_.channel;
    request.peer = peer_;
    request.request_id = http::choose_request_id(request.header("X-Request-Id"));
    if (const auto parent = request.header("traceparent")) {
        request.trace = net::parse_traceparent(*parent);
    }
}

http::response session::refusal_of(request_reader& reader) {
    const auto& why = reader.refusal();
    if (why.code == errc::invalid_argument) shared_.metrics.framing_errors.add();
    return problem(why, reader.request().request_id);
}

asio::awaitable<bool> session::write(std::string bytes) {
    std::string_view left = bytes;
    bool timed = false;
    while (!left.empty()) {
        const auto wrote = stream_.try_write(left);
        if (wrote.state == stream_state::done) {
            left.remove_prefix(wrote.bytes);
            continue;
        }
        if (!waits(wrote.state)) co_return false;
        if (!timed) {
            timed = true;
            stream_.deadline_in(shared_.bounds.write);
        }
        auto [interrupted] = co_await stream_.wait(wrote.state);
        if (over(interrupted)) co_return false;
    }
    co_return true;
}

asio::awaitable<void> session::refuse_and_close() {
    const auto answer = problem({errc::unavailable, "Too many connections; try again."}, {});
    std::string wire = serialise(answer, {{}, false, false});
    const bool told = co_await write(std::move(wire));
    if (told) co_await linger();
}

// Closing a socket with unread bytes resets the connection, and the peer would lose the answer.
asio::awaitable<void> session::linger() {
    stream_.end_writing();
    stream_.deadline_in(shared_.bounds.linger);
    auto state = stream_state::done;
    while (state == stream_state::done || waits(state)) {
        // One wait for each read: a peer that sends without end must not hold the thread.
        auto [interrupted] = co_await stream_.wait(stream_state::want_read);
        if (over(interrupted)) break;
        state = stream_.try_discard(read_buffer()).state;
    }
}

} // namespace sluice::server
