#include "tests/unit/net/scripted_server.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <array>
#include <csignal>
#include <stdexcept>

namespace sluice::tests {

server_end::server_end(int fd, const net::tls_context* tls) : fd_(fd) {
    const timeval patience{20, 0};
    ::setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    ::setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience);
    // As servers do; else a reset could overtake the last answer.
    const int at_once = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &at_once, sizeof at_once);
    if (tls != nullptr) ssl_ = tls->accept_on(fd_);
}

void server_end::use_tls(const net::tls_context& tls) {
    ssl_ = tls.accept_on(fd_);
}

bool server_end::handshake() {
    const bool shaken = SSL_accept(ssl_.get()) == 1;
    ERR_clear_error();
    return shaken;
}

bool server_end::fill() {
    std::array<char, 65536> bytes{};
    std::size_t got = 0;
    if (ssl_) {
        const bool read = SSL_read_ex(ssl_.get(), bytes.data(), bytes.size(), &got) == 1;
        ERR_clear_error();
        if (!read) return false;
    } else {
        const auto n = ::recv(fd_, bytes.data(), bytes.size(), 0);
        if (n <= 0) return false;
        got = static_cast<std::size_t>(n);
    }
    buffer_.append(bytes.data(), got);
    return true;
}

std::string server_end::read_head() {
    while (buffer_.find("\r\n\r\n") == std::string::npos) {
        if (!fill()) return std::exchange(buffer_, {});
    }
    return read_bytes(buffer_.find("\r\n\r\n") + 4);
}

std::string server_end::read_bytes(std::size_t n) {
    while (buffer_.size() < n) {
        if (!fill()) return std::exchange(buffer_, {});
    }
    auto bytes = buffer_.substr(0, n);
    buffer_.erase(0, n);
    return bytes;
}

std::size_t server_end::read_chunked(std::string* kept) {
    std::size_t total = 0;
    for (;;) {
        while (buffer_.find("\r\n") == std::string::npos) {
            if (!fill()) return total;
        }
        const auto size = std::stoul(read_bytes(buffer_.find("\r\n") + 2), nullptr, 16);
        const auto chunk = read_bytes(size + 2);
        if (size == 0) return total;
        total += size;
        if (kept != nullptr) kept->append(chunk, 0, size);
    }
}

bool server_end::send(std::string_view bytes) {
    while (!bytes.empty()) {
        std::size_t sent = 0;
        if (ssl_) {
            if (SSL_write_ex(ssl_.get(), bytes.data(), bytes.size(), &sent) != 1) {
                ERR_clear_error();
                return false;
            }
        } else {
            const auto n = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
            if (n <= 0) return false;
            sent = static_cast<std::size_t>(n);
        }
        bytes.remove_prefix(sent);
    }
    return true;
}

bool server_end::wait_for_end() {
    while (fill()) buffer_.clear();
    return true;
}

std::string server_end::server_name() const {
    const char* name = SSL_get_servername(ssl_.get(), TLSEXT_NAMETYPE_host_name);
    return name != nullptr ? name : "";
}

void server_end::vanish() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    if (ssl_) SSL_set_quiet_shutdown(ssl_.get(), 1);
}

scripted_server::scripted_server(
    std::vector<script> scripts, const net::tls_context* tls, std::string host
)
    : scripts_(std::move(scripts)), tls_(tls), host_(std::move(host)),
      listener_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    std::signal(SIGPIPE, SIG_IGN);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    ::inet_pton(AF_INET, host_.c_str(), &address.sin_addr);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener_.get(), generic, size) != 0 || ::listen(listener_.get(), 64) != 0 ||
        ::getsockname(listener_.get(), generic, &size) != 0) {
        throw std::runtime_error("the scripted server cannot listen");
    }
    port_ = ntohs(address.sin_port);
    acceptor_ = std::thread{[this] { accept_all(); }};
}

scripted_server::~scripted_server() {
    ::shutdown(listener_.get(), SHUT_RDWR);
    acceptor_.join();
    {
        const std::lock_guard lock{mutex_};
        for (const int fd : open_) {
            if (fd >= 0) ::shutdown(fd, SHUT_RDWR);
        }
    }
    for (auto& thread : threads_) thread.join();
}

std::string scripted_server::url() const {
    return (tls_ != nullptr ? "https://" : "http://") + host_ + ":" + std::to_string(port_);
}

void scripted_server::accept_all() {
    for (;;) {
        const int fd = ::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC);
        if (fd < 0) return;
        const auto index = static_cast<std::size_t>(connections_++);
        const std::lock_guard lock{mutex_};
        open_.push_back(fd);
        threads_.emplace_back([this, fd, index] {
            {
                server_end end{fd, tls_};
                if (tls_ == nullptr || end.handshake()) {
                    scripts_[std::min(index, scripts_.size() - 1)](end);
                }
            }
            const std::lock_guard closing{mutex_};
            open_[index] = -1;
            ::close(fd);
        });
    }
}

scripted_server::script answering(std::string bytes) {
    return [bytes = std::move(bytes)](server_end& end) {
        while (!end.read_head().empty() && end.send(bytes)) {
        }
    };
}

} // namespace sluice::tests
