#pragma once

#include "base/result.hpp"

#include <boost/asio/ip/address.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::net {

enum class transport { https, http, unix_socket };

// Where to listen: "https://127.0.0.1:8443", "http://[::1]:0", "https://localhost:8443", "unix:/path/to.sock".
struct listen_address {
    net::transport transport = net::transport::https;
    std::string host; // as written, without brackets; the path of a unix socket
    std::uint16_t port = 0;

    // With the port that was really taken, without a trailing slash.
    [[nodiscard]] std::string url() const;
    // What `host` stands for. "localhost" is 127.0.0.1; other names are not looked up.
    [[nodiscard]] result<boost::asio::ip::address> resolve() const;
};

[[nodiscard]] result<listen_address> parse_listen_url(std::string_view url);

// The unit in which clients are counted: an IPv4 address (also when mapped into IPv6), or the /64 of an IPv6 one, for
// whoever has one address of it has them all.
[[nodiscard]] boost::asio::ip::address client_key(const boost::asio::ip::address& peer);

} // namespace sluice::net
