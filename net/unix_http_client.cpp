#include "net/unix_http_client.hpp"

#include "base/unique_fd.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <string>

namespace sluice::net {
namespace {

namespace http = boost::beast::http;
using deadline = std::chrono::steady_clock::time_point;

constexpr std::size_t largest_answer = std::size_t{256} << 20U;
constexpr std::size_t read_size = std::size_t{64} << 10U;

error trouble(const std::string& path, std::string_view doing) {
    const std::string cause = std::strerror(errno);
    return {errc::unavailable, "control socket " + path + ": " + std::string{doing} + ": " + cause};
}

error too_slow(const std::string& path) {
    return {
        errc::timed_out,
        "control socket " + path + ": the server did not answer in time; is it overloaded?"
    };
}

// False when the deadline passed first.
bool wait_for(int fd, short events, deadline until) {
    for (;;) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return false;
        pollfd p{fd, events, 0};
        const int ready =
            ::poll(&p, 1, static_cast<int>(std::min<std::int64_t>(left.count(), 60'000)));
        if (ready > 0) return true;
        if (ready < 0 && errno != EINTR) return true; // the call that follows tells the error
    }
}

result<unique_fd> connect_to(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) {
        return error{
            errc::invalid_argument,
            "control socket " + path + ": the path is too long; choose a shorter state folder"
        };
    }
    path.copy(address.sun_path, path.size());
    unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
    if (!fd) return trouble(path, "socket");
    if (::connect(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
        if (errno == ENOENT || errno == ECONNREFUSED) {
            return error{errc::not_found, "control socket " + path + ": no server listens there"};
        }
        return trouble(path, "connect"); // EAGAIN: its queue is full
    }
    return fd;
}

outcome send_all(int fd, std::string_view bytes, const std::string& path, deadline until) {
    while (!bytes.empty()) {
        if (!wait_for(fd, POLLOUT, until)) return too_slow(path);
        const auto n = ::send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (n < 0 && errno != EAGAIN && errno != EINTR) return trouble(path, "send");
        if (n > 0) bytes.remove_prefix(static_cast<std::size_t>(n));
    }
    return {};
}

result<unix_response> receive(int fd, const std::string& path, deadline until) {
    http::response_parser<http::string_body> parser;
    parser.body_limit(largest_answer);
    boost::beast::flat_buffer buffer;
    boost::system::error_code ec;
    while (!parser.is_done()) {
        if (!wait_for(fd, POLLIN, until)) return too_slow(path);
        const auto space = buffer.prepare(read_size);
        const auto n = ::recv(fd, space.data(), space.size(), 0);
        if (n < 0 && (errno == EAGAIN || errno == EINTR)) continue;
        if (n < 0) return trouble(path, "receive");
        if (n == 0) {
            if (parser.got_some()) parser.put_eof(ec);
            if (ec || !parser.is_done()) {
                return error{
                    errc::unavailable,
                    "control socket " + path + ": the server hung up; is it stopping?"
                };
            }
            break;
        }
        buffer.commit(static_cast<std::size_t>(n));
        for (std::size_t used = 1; used > 0 && buffer.size() > 0 && !parser.is_done();) {
            used = parser.put(buffer.data(), ec);
            buffer.consume(used);
            if (ec == http::error::need_more) ec = {};
            if (ec) {
                return error{
                    errc::unavailable,
                    "control socket " + path + ": not an answer of sluice: " + ec.message()
                };
            }
        }
    }
    auto& message = parser.get();
    return unix_response{static_cast<int>(message.result_int()), std::move(message.body())};
}

result<std::string> as_sent(const unix_request& request) {
    for (const std::string_view part : {request.method, request.target, request.content_type}) {
        if (part.find_first_of("\r\n") != std::string_view::npos) {
            return error{errc::invalid_argument, "a line break cannot be part of a request"};
        }
    }
    std::string bytes = request.method + " " + request.target +
                        " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n";
    if (request.method != "GET" || !request.body.empty()) {
        bytes += "Content-Length: " + std::to_string(request.body.size()) + "\r\n";
    }
    if (!request.body.empty()) bytes += "Content-Type: " + request.content_type + "\r\n";
    return bytes + "\r\n" + request.body;
}

} // namespace

result<unix_response> send_over_unix_socket(
    const std::string& socket_path, const unix_request& request, std::chrono::milliseconds within
) {
    const auto until = std::chrono::steady_clock::now() + within;
    const auto bytes = as_sent(request);
    if (!bytes) return bytes.error();
    const auto fd = connect_to(socket_path);
    if (!fd) return fd.error();
    if (const auto sent = send_all(fd->get(), *bytes, socket_path, until); !sent)
        return sent.error();
    return receive(fd->get(), socket_path, until);
}

result<unix_response> get_over_unix_socket(
    const std::string& socket_path, std::string_view target, std::chrono::milliseconds within
) {
    unix_request request;
    request.target = target;
    return send_over_unix_socket(socket_path, request, within);
}

} // namespace sluice::net
