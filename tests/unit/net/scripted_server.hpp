#pragma once

#include "base/unique_fd.hpp"
#include "net/tls_context.hpp"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace sluice::tests {

// What scripts saw, for the test's own thread.
class notebook {
public:
    void add(std::string note) {
        const std::lock_guard lock{mutex_};
        notes_.push_back(std::move(note));
    }
    [[nodiscard]] std::vector<std::string> all() const {
        const std::lock_guard lock{mutex_};
        return notes_;
    }

private:
    mutable std::mutex mutex_;
    std::vector<std::string> notes_;
};

// The server's end of one connection. Blocking, for a script that runs on its own thread; no read waits longer than 20 s.
class server_end {
public:
    server_end(int fd, const net::tls_context* tls);

    // False when the client went away or was refused. Only with TLS.
    [[nodiscard]] bool handshake();
    // Up to and with the empty line; what there was when the client ended it.
    [[nodiscard]] std::string read_head();
    [[nodiscard]] std::string read_bytes(std::size_t n);
    // The length of the decoded body, which is appended to `kept` if there is one.
    [[nodiscard]] std::size_t read_chunked(std::string* kept = nullptr);
    bool send(std::string_view bytes);
    // True when the client ended the connection.
    [[nodiscard]] bool wait_for_end();
    [[nodiscard]] bool resumed() const { return SSL_session_reused(ssl_.get()) == 1; }
    [[nodiscard]] std::string server_name() const;
    // A reset instead of an end.
    void vanish();
    // From here on TLS, as after a proxy's CONNECT.
    void use_tls(const net::tls_context& tls);

private:
    [[nodiscard]] bool fill();

    int fd_;
    net::ssl_ptr ssl_;
    std::string buffer_;
};

// Runs a script for each connection, in the order they come; the last script serves all that follow.
class scripted_server {
public:
    using script = std::function<void(server_end&)>;

    explicit scripted_server(
        std::vector<script> scripts,
        const net::tls_context* tls = nullptr,
        std::string host = "127.0.0.1"
    );
    ~scripted_server();
    scripted_server(const scripted_server&) = delete;
    scripted_server& operator=(const scripted_server&) = delete;

    [[nodiscard]] std::string url() const;
    [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
    [[nodiscard]] int connections() const noexcept { return connections_; }

private:
    void accept_all();

    std::vector<script> scripts_;
    const net::tls_context* tls_;
    std::string host_;
    unique_fd listener_;
    std::uint16_t port_ = 0;
    std::atomic<int> connections_{0};
    std::mutex mutex_;
    std::vector<int> open_; // -1 once its script ended
    std::vector<std::thread> threads_;
    std::thread acceptor_;
};

// Answers each request on the connection with these bytes, as often as asked.
[[nodiscard]] scripted_server::script answering(std::string bytes);

} // namespace sluice::tests
