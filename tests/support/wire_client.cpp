#include "tests/support/wire_client.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstring>
#include <vector>

namespace sluice::tests {

namespace {

using clock = std::chrono::steady_clock;

bool ready(int fd, short events, clock::time_point deadline) {
    pollfd p{fd, events, 0};
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
    return ::poll(&p, 1, static_cast<int>(std::max<long>(left, 0))) > 0;
}

int connect_to(const std::string& url) {
    if (url.starts_with("unix:")) {
        sockaddr_un at{};
        at.sun_family = AF_UNIX;
        std::strncpy(at.sun_path, url.c_str() + 5, sizeof at.sun_path - 1);
        const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) return fd;
        ::close(fd);
        return -1;
    }
    const auto colon = url.rfind(':');
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_port = htons(static_cast<std::uint16_t>(std::stoi(url.substr(colon + 1))));
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(fd, reinterpret_cast<sockaddr*>(&at), sizeof at) == 0) return fd;
    ::close(fd);
    return -1;
}

} // namespace

wire_client::wire_client(const std::string& url, const wire_options& options) {
    std::signal(SIGPIPE, SIG_IGN);
    fd_ = connect_to(url);
    connected_ = fd_ >= 0;
    if (!connected_ || !(options.tls || url.starts_with("https:"))) return;
    ERR_clear_error();
    context_ = SSL_CTX_new(TLS_client_method());
    SSL_CTX_set_security_level(context_, 0); // so that TLS 1.1 can be tried at all
    SSL_CTX_set_min_proto_version(context_, options.min_version);
    SSL_CTX_set_max_proto_version(context_, options.max_version);
    if (!options.groups.empty()) SSL_CTX_set1_groups_list(context_, options.groups.c_str());
    if (!options.ca.empty()) {
        SSL_CTX_load_verify_file(context_, options.ca.c_str());
        SSL_CTX_set_verify(context_, SSL_VERIFY_PEER, nullptr);
    }
    if (!options.certificate.empty()) {
        SSL_CTX_use_certificate_chain_file(context_, options.certificate.c_str());
        SSL_CTX_use_PrivateKey_file(context_, options.key.c_str(), SSL_FILETYPE_PEM);
    }
    ssl_ = SSL_new(context_);
    if (!options.ca.empty()) SSL_set1_host(ssl_, "127.0.0.1");
    if (!options.alpn.empty()) {
        std::string list(1, static_cast<char>(options.alpn.size()));
        list += options.alpn;
        SSL_set_alpn_protos(
            ssl_,
            reinterpret_cast<const unsigned char*>(list.data()),
            static_cast<unsigned>(list.size())
        );
    }
    if (options.resume != nullptr) SSL_set_session(ssl_, options.resume);
    SSL_set_fd(ssl_, fd_);
    connected_ = SSL_connect(ssl_) == 1;
}

wire_client::~wire_client() {
    if (ssl_ != nullptr) SSL_free(ssl_);
    if (context_ != nullptr) SSL_CTX_free(context_);
    if (fd_ >= 0) ::close(fd_);
}

bool wire_client::send(std::string_view bytes) {
    while (!bytes.empty()) {
        const auto sent =
            ssl_ != nullptr
                ? SSL_write(ssl_, bytes.data(), static_cast<int>(bytes.size()))
                : static_cast<int>(::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL));
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

int wire_client::fill(clock::time_point deadline) {
    std::array<char, 16384> chunk{};
    if (!(ssl_ != nullptr && SSL_has_pending(ssl_) == 1) && !ready(fd_, POLLIN, deadline))
        return -1;
    ERR_clear_error();
    const auto got = ssl_ != nullptr ? SSL_read(ssl_, chunk.data(), static_cast<int>(chunk.size()))
                                     : static_cast<int>(::recv(fd_, chunk.data(), chunk.size(), 0));
    if (got <= 0) return 0;
    buffer_.append(chunk.data(), static_cast<std::size_t>(got));
    return 1;
}

std::optional<wire_answer> wire_client::answer(std::chrono::milliseconds within, bool head) {
    const auto deadline = clock::now() + within;
    std::size_t end = std::string::npos;
    while ((end = buffer_.find("\r\n\r\n")) == std::string::npos) {
        if (fill(deadline) <= 0) return std::nullopt;
    }
    wire_answer a;
    a.status = std::stoi(buffer_.substr(9, 3));
    for (std::size_t at = buffer_.find("\r\n") + 2; at < end;) {
        const auto line_end = buffer_.find("\r\n", at);
        const auto colon = buffer_.find(':', at);
        std::string name = buffer_.substr(at, colon - at);
        std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) {
            return static_cast<char>(std::tolower(c));
        });
        a.headers[name] = buffer_.substr(colon + 2, line_end - colon - 2);
        at = line_end + 2;
    }
    const auto found = a.headers.find("content-length");
    const std::size_t length =
        head || found == a.headers.end() ? 0 : static_cast<std::size_t>(std::stoul(found->second));
    while (buffer_.size() < end + 4 + length) {
        if (fill(deadline) <= 0) return std::nullopt;
    }
    a.body = buffer_.substr(end + 4, length);
    buffer_.erase(0, end + 4 + length);
    return a;
}

bool wire_client::closed(std::chrono::milliseconds within) {
    if (!buffer_.empty()) return false;
    const int got = fill(clock::now() + within);
    return got == 0;
}

bool wire_client::wait_readable(std::chrono::milliseconds within) const {
    return ready(fd_, POLLIN, clock::now() + within);
}

void wire_client::vanish() {
    const linger at_once{1, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    ::close(fd_);
    fd_ = -1;
}

std::string post(std::string_view target, std::string_view body, std::string_view more) {
    std::string text = "POST ";
    text.append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more);
    text.append("Content-Length: ").append(std::to_string(body.size())).append("\r\n\r\n");
    return text.append(body);
}

std::string get(std::string_view target, std::string_view more) {
    std::string text = "GET ";
    text.append(target).append(" HTTP/1.1\r\nHost: localhost\r\n").append(more);
    return text.append("\r\n");
}

} // namespace sluice::tests
