#include "net/address.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/address_v4.hpp>
#include <boost/asio/ip/address_v6.hpp>

#include <charconv>

namespace sluice::net {

namespace ip = boost::asio::ip;

namespace {

constexpr std::string_view examples =
    "write https://HOST:PORT, http://HOST:PORT or unix:/path, for example https://127.0.0.1:8443";

error malformed(std::string_view url, std::string_view why) {
    return {
        errc::invalid_argument,
        "cannot listen on '" + std::string(url) + "': " + std::string(why) + "; " +
            std::string(examples)
    };
}

} // namespace

std::string listen_address::url() const {
    if (transport == transport::unix_socket) return "unix:" + host;
    const bool v6 = host.find(':') != std::string::npos;
    return std::string(transport == transport::https ? "https://" : "http://") + (v6 ? "[" : "") +
           host + (v6 ? "]" : "") + ":" + std::to_string(port);
}

result<ip::address> listen_address::resolve() const {
    boost::system::error_code ec;
    const auto address = ip::make_address(host == "localhost" ? "127.0.0.1" : host, ec);
    if (ec) return malformed(url(), "the host is not an IP address or localhost");
    return address;
}

result<listen_address> parse_listen_url(std::string_view url) {
    listen_address parsed;
    std::string_view rest = url;
    const auto take = [&rest](std::string_view prefix) {
        if (!rest.starts_with(prefix)) return false;
        rest.remove_prefix(prefix.size());
        return true;
    };
    if (take("unix:")) {
        if (!rest.starts_with('/'))
            return malformed(url, "the path of a unix socket starts with /");
        parsed.transport = transport::unix_socket;
        parsed.host = rest;
        return parsed;
    }
    if (take("https://")) {
        parsed.transport = transport::https;
    } else if (take("http://")) {
        parsed.transport = transport::http;
    } else {
        return malformed(url, "the scheme is not https, http or unix");
    }
    if (rest.ends_with('/')) rest.remove_suffix(1);

    std::string_view port;
    if (take("[")) {
        const auto end = rest.find("]:");
        if (end == std::string_view::npos)
            return malformed(url, "an IPv6 host is written [HOST]:PORT");
        parsed.host = rest.substr(0, end);
        port = rest.substr(end + 2);
    } else {
        const auto colon = rest.find(':');
        if (colon == std::string_view::npos) return malformed(url, "the port is missing");
        parsed.host = rest.substr(0, colon);
        port = rest.substr(colon + 1);
    }
    if (parsed.host.empty()) return malformed(url, "the host is missing");
    const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), parsed.port);
    if (ec != std::errc{} || end != port.data() + port.size() || port.empty()) {
        return malformed(url, "the port is not a number from 0 to 65535");
    }
    auto address = parsed.resolve();
    if (!address) return address.error();
    return parsed;
}

ip::address client_key(const ip::address& peer) {
    if (peer.is_v4()) return peer;
    const auto v6 = peer.to_v6();
    if (v6.is_v4_mapped()) return ip::make_address_v4(ip::v4_mapped, v6);
    auto bytes = v6.to_bytes();
    for (std::size_t i = 8; i < bytes.size(); ++i) bytes[i] = 0;
    return ip::address_v6(bytes);
}

} // namespace sluice::net
