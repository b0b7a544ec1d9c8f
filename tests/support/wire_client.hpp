#pragma once

#include <openssl/ssl.h>

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace sluice::tests {

struct wire_options {
    bool tls = false;
    int min_version = TLS1_2_VERSION;
    int max_version = TLS1_3_VERSION;
    std::string groups;
    std::string alpn;        // one protocol
    std::string ca;          // verify the server against this file
    std::string certificate; // of the client, with `key`
    std::string key;
    SSL_SESSION* resume = nullptr;
};

struct wire_answer {
    int status = 0;
    std::map<std::string, std::string> headers; // names in lower case
    std::string body;
};

// A client that says exactly the bytes it is told to. Every wait has a deadline.
class wire_client {
public:
    // "https://127.0.0.1:PORT", "http://…" or "unix:/path".
    explicit wire_client(const std::string& url, const wire_options& options = {});
    ~wire_client();
    wire_client(const wire_client&) = delete;
    wire_client& operator=(const wire_client&) = delete;

    // False when TCP or the handshake failed.
    [[nodiscard]] bool connected() const noexcept { return connected_; }
    [[nodiscard]] SSL* ssl() const noexcept { return ssl_; }
    [[nodiscard]] int fd() const noexcept { return fd_; }

    bool send(std::string_view bytes);
    // The next answer; `head` says that it has no body.
    [[nodiscard]] std::optional<wire_answer>
    answer(std::chrono::milliseconds within = std::chrono::seconds{10}, bool head = false);
    // True when the server ends the connection in time without sending more.
    [[nodiscard]] bool closed(std::chrono::milliseconds within = std::chrono::seconds{10});
    // True when there is something to read, or the end.
    [[nodiscard]] bool wait_readable(std::chrono::milliseconds within) const;
    // Sends a reset instead of saying goodbye.
    void vanish();
    [[nodiscard]] const std::string& unread() const noexcept { return buffer_; }

private:
    // 1 got bytes, 0 end, -1 nothing in time.
    [[nodiscard]] int fill(std::chrono::steady_clock::time_point deadline);

    int fd_ = -1;
    SSL_CTX* context_ = nullptr;
    SSL* ssl_ = nullptr;
    bool connected_ = false;
    std::string buffer_;
};

// "POST /ns/p/env" with a body, ready to send.
[[nodiscard]] std::string
post(std::string_view target, std::string_view body, std::string_view more = "");
[[nodiscard]] std::string get(std::string_view target, std::string_view more = "");

} // namespace sluice::tests
