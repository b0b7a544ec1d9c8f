#pragma once

#include "net/client/answer_reader.hpp"
#include "net/client/call_clock.hpp"
#include "net/client/call_meter.hpp"
#include "net/client/pool.hpp"
#include "net/client/proxy.hpp"
#include "net/client/tls_identities.hpp"
#include "net/http_client.hpp"

#include <memory>
#include <optional>
#include <string>

namespace sluice::net::client {

// What all exchanges of one client share.
struct shared_parts {
    shared_parts(boost::asio::io_context& loop, observe::registry& m, const http_client::options& o)
        : metrics(m), waits(loop), proxies(o.https_proxy, o.http_proxy, o.no_proxy),
          connections(waits, {o.idle_per_peer, o.idle_for, o.connections_per_peer}) {}

    observe::registry& metrics;
    watch_list waits;
    proxy_rules proxies;
    tls_identities identities;
    pool connections;
};

class exchange final : public http_exchange {
public:
    exchange(std::shared_ptr<shared_parts> shared, http_call call);

    // Connects, or takes a connection from the pool, and sends the head and the body of the call.
    [[nodiscard]] boost::asio::awaitable<outcome> begin();
    [[nodiscard]] boost::asio::awaitable<outcome> write(std::string bytes) override;
    [[nodiscard]] boost::asio::awaitable<result<http_answer>> answer() override;
    [[nodiscard]] boost::asio::awaitable<result<std::string>> read() override;

    // The head of the answer announces a body larger than `largest`.
    [[nodiscard]] bool announces_more_than(std::size_t largest) const;
    // Ends it for that reason.
    [[nodiscard]] error too_large();

private:
    [[nodiscard]] boost::asio::awaitable<outcome> connect_anew();
    [[nodiscard]] boost::asio::awaitable<outcome> send_from_the_start();
    // The second try, on a new connection, when the peer had ended the pooled one.
    [[nodiscard]] boost::asio::awaitable<outcome> start_again();
    [[nodiscard]] boost::asio::awaitable<outcome> send(std::string_view bytes);
    [[nodiscard]] boost::asio::awaitable<outcome> receive();
    [[nodiscard]] bool may_start_again() const noexcept;
    // Ends the exchange: the connection is closed.
    [[nodiscard]] error fail(error why);
    void finish();

    std::shared_ptr<shared_parts> shared_; // first: the others point into it
    http_call call_;
    call_clock time_;
    call_meter meter_;
    const proxy* through_ = nullptr;
    secret_string head_; // holds the credentials
    std::shared_ptr<tls_identity> identity_;
    std::string key_; // of the pool
    pool::place place_;
    std::unique_ptr<connection> link_;
    answer_reader reader_;
    std::string pieces_; // the chunked body so far, while it is small enough to be sent again
    bool replayable_ = true;
    bool reused_ = false;
    bool body_ended_ = false;
    std::optional<error> write_failed_; // the peer stopped listening; it may have answered before
};

} // namespace sluice::net::client
