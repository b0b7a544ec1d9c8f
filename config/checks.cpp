#include "config/checks.hpp"

#include "auth/ip_address.hpp"
#include "net/address.hpp"
#include "net/url.hpp"

#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <fmt/format.h>

namespace sluice::config {

std::string not_empty(std::string_view text) {
    return text.empty() ? "must not be empty" : "";
}

std::string listen_url(std::string_view text) {
    const auto place = net::parse_listen_url(text);
    if (!place) return place.error().message;
    if (place->transport == net::transport::unix_socket) {
        return "a unix socket cannot be chosen; the control socket is always in the state folder";
    }
    return {};
}

std::string address_and_port(std::string_view text) {
    const bool bare = text.find('/') == std::string_view::npos;
    if (bare && net::parse_listen_url("http://" + std::string{text})) return {};
    return fmt::format(
        "\"{}\" is not an address and port; write it as 127.0.0.1:8081 or [::1]:8081, port 0 for a "
        "free one",
        text
    );
}

std::string network(std::string_view text) {
    if (auth::ip_network::parse(text)) return {};
    return fmt::format(
        "\"{}\" is not a network; write it as 10.0.0.0/8, fd00::/8 or 192.0.2.7", text
    );
}

std::string pipeline_name(std::string_view text) {
    const auto slash = text.find('/');
    const bool right = slash != std::string_view::npos && slash > 0 && slash + 1 < text.size() &&
                       text.find('/', slash + 1) == std::string_view::npos;
    if (right) return {};
    return fmt::format("\"{}\" does not name a pipeline; write it as NAMESPACE/PIPELINE", text);
}

std::string http_url(std::string_view text) {
    if (text.empty()) return {};
    const auto parsed = net::parse_url(text);
    if (parsed) return {};
    return parsed.error().message + "; write it as http://notification-controller.flux-system/";
}

std::string author_part(std::string_view text) {
    if (text.empty()) return "must not be empty";
    if (text.find_first_of("<>\n") == std::string_view::npos) return {};
    return "must not hold <, > or a line break";
}

} // namespace sluice::config
