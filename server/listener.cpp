#include "server/listener.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <string>
#include <string_view>
#include <utility>

namespace sluice::server {

namespace {

constexpr int backlog = 4096;

struct socket_address {
    sockaddr_storage storage{};
    socklen_t size = 0;
    [[nodiscard]] const sockaddr* get() const {
        return reinterpret_cast<const sockaddr*>(&storage);
    }
};

error cannot_listen(const net::listen_address& at) {
    const int why = errno;
    std::string remedy;
    if (why == EADDRINUSE) remedy = "; another program listens there, choose another port";
    if (why == EACCES) remedy = "; ports below 1024 need a privilege, choose a higher one";
    if (why == EADDRNOTAVAIL) remedy = "; this machine does not have that address";
    return {errc::unavailable, "cannot listen on " + at.url() + ": " + std::strerror(why) + remedy};
}

bool enable(int fd, int level, int option) {
    const int on = 1;
    return ::setsockopt(fd, level, option, &on, sizeof on) == 0;
}

socket_address to_socket_address(const boost::asio::ip::address& address, std::uint16_t port) {
    socket_address made;
    if (address.is_v4()) {
        auto& v4 = reinterpret_cast<sockaddr_in&>(made.storage);
        v4.sin_family = AF_INET;
        v4.sin_port = htons(port);
        v4.sin_addr.s_addr = htonl(address.to_v4().to_uint());
        made.size = sizeof v4;
    } else {
        auto& v6 = reinterpret_cast<sockaddr_in6&>(made.storage);
        const auto bytes = address.to_v6().to_bytes();
        v6.sin6_family = AF_INET6;
        v6.sin6_port = htons(port);
        v6.sin6_scope_id = static_cast<std::uint32_t>(address.to_v6().scope_id());
        std::memcpy(v6.sin6_addr.s6_addr, bytes.data(), bytes.size());
        made.size = sizeof v6;
    }
    return made;
}

unique_fd bound_socket(const socket_address& at, bool shared) {
    unique_fd fd{::socket(at.storage.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    // Accepted connections inherit TCP_NODELAY on Linux: one call here instead of one for each of them.
    const bool ready = fd && enable(fd.get(), SOL_SOCKET, SO_REUSEADDR) &&
                       enable(fd.get(), IPPROTO_TCP, TCP_NODELAY) &&
                       (!shared || enable(fd.get(), SOL_SOCKET, SO_REUSEPORT)) &&
                       ::bind(fd.get(), at.get(), at.size) == 0;
    if (!ready) return {};
    return fd;
}

std::uint16_t port_of(int fd) {
    socket_address at;
    at.size = sizeof at.storage;
    ::getsockname(fd, reinterpret_cast<sockaddr*>(&at.storage), &at.size);
    return ntohs(
        at.storage.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(at.storage).sin6_port
                                         : reinterpret_cast<sockaddr_in&>(at.storage).sin_port
    );
}

result<std::vector<unique_fd>> open_unix(const net::listen_address& at) {
    socket_address address;
    auto& where = reinterpret_cast<sockaddr_un&>(address.storage);
    where.sun_family = AF_UNIX;
    if (at.host.size() >= sizeof where.sun_path) {
        return error{
            errc::invalid_argument,
            "the path of the control socket is too long for the kernel: " + at.host +
                "; choose a shorter state folder"
        };
    }
    std::memcpy(where.sun_path, at.host.c_str(), at.host.size() + 1);
    address.size = sizeof where;

    // Left by a process that was killed; the lock on the state folder says that no other lives.
    struct stat left{};
    if (::lstat(at.host.c_str(), &left) == 0 && S_ISSOCK(left.st_mode)) ::unlink(at.host.c_str());

    unique_fd fd{::socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0)};
    // fchmod before bind gives the file its mode from the first moment; chmod again for kernels that do not.
    if (!fd || ::fchmod(fd.get(), 0600) != 0 ||
        ::bind(fd.get(), address.get(), address.size) != 0 || ::chmod(at.host.c_str(), 0600) != 0 ||
        ::listen(fd.get(), backlog) != 0) {
        return cannot_listen(at);
    }
    std::vector<unique_fd> opened;
    opened.push_back(std::move(fd));
    return opened;
}

} // namespace

result<std::vector<unique_fd>> open_listeners(net::listen_address& at, std::size_t count) {
    if (at.transport == net::transport::unix_socket) return open_unix(at);
    const auto address = at.resolve();
    if (!address) return address.error();

    // SO_REUSEPORT would silently share the port with another server of this user: one bind without it finds out.
    if (at.port != 0 && !bound_socket(to_socket_address(*address, at.port), false)) {
        return cannot_listen(at);
    }
    std::vector<unique_fd> opened;
    for (std::size_t i = 0; i < count; ++i) {
        unique_fd fd = bound_socket(to_socket_address(*address, at.port), true);
        if (!fd) return cannot_listen(at);
        if (at.port == 0) at.port = port_of(fd.get());
        opened.push_back(std::move(fd));
    }
    // Only when all are bound: the kernel spreads over those that listen.
    for (const auto& fd : opened) {
        if (::listen(fd.get(), backlog) != 0) return cannot_listen(at);
    }
    return opened;
}

} // namespace sluice::server
