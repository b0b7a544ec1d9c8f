#pragma once

#include "net/tls_stream.hpp"
#include "server/request_reader.hpp"
#include "server/service.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/intrusive/list.hpp>

#include <string>
#include <string_view>

namespace sluice::server {

// One connection, from the handshake to the close; one request at a time. While it is idle nothing but this object, one
// small coroutine frame and OpenSSL's state exists.
class session : public boost::intrusive::list_base_hook<
                    boost::intrusive::link_mode<boost::intrusive::auto_unlink>> {
public:
    enum class admission { admitted, refused };

    session(
        service& shared,
        endpoint& where,
        net::tls_stream stream,
        boost::asio::ip::address peer,
        admission admitted
    );
    session(const session&) = delete;
    session& operator=(const session&) = delete;
    ~session();

    [[nodiscard]] boost::asio::awaitable<void> run();
    // The loop's sweep.
    void expire(net::tls_stream::clock::time_point now) { stream_.expire(now); }
    // No further request: an idle connection ends now, a busy one after its answer.
    void drain();

private:
    [[nodiscard]] boost::asio::awaitable<bool> handshake();
    [[nodiscard]] boost::asio::awaitable<bool> serve(std::string_view first_bytes);
    [[nodiscard]] boost::asio::awaitable<bool> receive(request_reader& reader);
    [[nodiscard]] boost::asio::awaitable<bool> write(std::string bytes);
    [[nodiscard]] boost::asio::awaitable<void> refuse_and_close();
    [[nodiscard]] boost::asio::awaitable<void> linger();

    void take(request_reader& reader, std::string_view bytes);
    [[nodiscard]] bool over(const boost::system::error_code& interrupted) const noexcept;
    [[nodiscard]] bool crowded() const noexcept;
    void introduce(http::request& request) const;
    [[nodiscard]] http::response refusal_of(request_reader& reader);

    service& shared_;
    endpoint& where_;
    net::tls_stream stream_;
    boost::asio::ip::address peer_;
    std::string rest_; // bytes of the next request that came with the last one
    admission admission_;
    bool idle_ = false;
    bool draining_ = false;
    route_metrics* route_ = nullptr; // of the request in hand
};

} // namespace sluice::server
