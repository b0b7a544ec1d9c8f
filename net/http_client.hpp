#pragma once

#include "base/result.hpp"
#include "base/secret_string.hpp"
#include "net/url.hpp"
#include "observe/metrics.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// The outgoing side: HTTPS to forges, git servers and receivers. One client lives on one io_context and is used only there.
namespace sluice::net {

// How a peer is believed and how we show who we are. Shared by calls of one credential; part of the pool's key.
struct client_tls {
    std::string ca_pem;          // beside the system's roots
    std::string certificate_pem; // client certificate and chain; empty: none
    secret_string key_pem;
};

struct http_deadlines {
    std::chrono::milliseconds connect{10'000}; // resolve, connect, proxy, TLS handshake together
    std::chrono::milliseconds silence{30'000}; // between two bytes in either direction
    std::chrono::milliseconds total{120'000};
};

struct http_call {
    std::string method = "GET";
    net::url url;
    std::vector<std::pair<std::string, std::string>> headers;
    secret_string authorization; // value of the Authorization header; empty: none. Never logged
    std::string body;
    std::shared_ptr<const client_tls> tls; // null: the system's roots, no client certificate
    http_deadlines deadlines;
    // Of send(); whoever reads an exchange counts for itself.
    std::size_t largest_answer = 16U << 20U;
    std::string peer;     // what metrics call it: "github", "git", "notification"
    bool chunked = false; // of open(): the body is written piece by piece
};

struct http_answer {
    int status = 0;
    std::vector<std::pair<std::string, std::string>> headers;
    std::string body;

    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
};

// One request whose body is written and whose answer is read piece by piece. The connection goes back to the pool when the
// answer was read to its end; dropping the exchange before that closes it.
class http_exchange {
public:
    virtual ~http_exchange() = default;
    [[nodiscard]] virtual boost::asio::awaitable<outcome> write(std::string bytes) = 0;
    // Ends the body and waits for the head of the answer; its body is empty.
    [[nodiscard]] virtual boost::asio::awaitable<result<http_answer>> answer() = 0;
    // Empty at the end.
    [[nodiscard]] virtual boost::asio::awaitable<result<std::string>> read() = 0;
};

// Errors: unavailable (refused, cut, name not found: may work later), timed_out (which deadline), unprocessable (the
// certificate is not trusted, the client certificate is wrong: names the host and the remedy), payload_too_large. None holds a
// header, a query or userinfo. A status is not an error, but for those with which a proxy refuses or misses the peer.
// Redirects are not followed.
class http_client {
public:
    struct options {
        std::size_t idle_per_peer = 8;
        std::chrono::milliseconds idle_for{45'000};
        std::size_t connections_per_peer = 32;
        // As in the environment (HTTPS_PROXY, HTTP_PROXY, NO_PROXY), read by the composition root.
        std::string https_proxy;
        std::string http_proxy;
        std::string no_proxy;
    };
    http_client(boost::asio::io_context& loop, observe::registry& metrics, options o);
    ~http_client();
    http_client(const http_client&) = delete;
    http_client& operator=(const http_client&) = delete;

    [[nodiscard]] boost::asio::awaitable<result<http_answer>> send(http_call call);
    [[nodiscard]] boost::asio::awaitable<result<std::unique_ptr<http_exchange>>> open(http_call call
    );
    // Ends every exchange in progress with errc::unavailable.
    void stop();

private:
    struct impl;
    std::shared_ptr<impl> impl_;
};

} // namespace sluice::net
