#include "net/client/proxy.hpp"

#include "base/bytes.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>

#include <algorithm>
#include <charconv>

namespace sluice::net::client {

namespace ip = boost::asio::ip;

namespace {

std::string lowered(std::string_view text) {
    std::string copy{text};
    std::ranges::transform(copy, copy.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
    });
    return copy;
}

std::string percent_decoded(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const auto byte = text[i] == '%' ? from_hex(text.substr(i + 1, 2)) : std::nullopt;
        if (byte && byte->size() == 1) {
            decoded += *byte;
            i += 2;
        } else {
            decoded += text[i];
        }
    }
    return decoded;
}

bool in_network(const ip::address& address, std::string_view network) {
    boost::system::error_code ec;
    if (address.is_v4()) {
        const auto net = ip::make_network_v4(std::string{network}, ec);
        return !ec &&
               ip::network_v4{address.to_v4(), net.prefix_length()}.canonical() == net.canonical();
    }
    const auto net = ip::make_network_v6(std::string{network}, ec);
    return !ec &&
           ip::network_v6{address.to_v6(), net.prefix_length()}.canonical() == net.canonical();
}

// "HOST:PORT" and "[V6]:PORT" without their port; a bare IPv6 address keeps its colons.
std::string_view take_port(std::string_view entry, std::uint16_t& port) {
    const auto colon = entry.rfind(':');
    if (colon == std::string_view::npos) return entry;
    const bool bare_v6 = entry.find(':') != colon && !entry.starts_with('[');
    if (bare_v6 || entry.ends_with(']')) return entry;
    const auto digits = entry.substr(colon + 1);
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), port);
    if (ec != std::errc{} || end != digits.data() + digits.size()) return entry;
    return entry.substr(0, colon);
}

} // namespace

std::string proxy::name() const {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

result<proxy> parse_proxy(std::string_view text) {
    if (lowered(text.substr(0, 8)) == "https://") {
        return error{
            errc::unsupported,
            "the proxy is given as https://, which is not supported; give it as http://HOST:PORT"
        };
    }
    proxy parsed;
    const auto scheme = text.find("://");
    auto rest = scheme == std::string_view::npos ? text : text.substr(scheme + 3);
    const auto userinfo = rest.substr(0, rest.find('/')).rfind('@');
    if (userinfo != std::string_view::npos) {
        auto login = percent_decoded(rest.substr(0, userinfo));
        parsed.authorization = secret_string{"Basic " + to_base64(login)};
        rest.remove_prefix(userinfo + 1);
    }
    const auto where = parse_url(
        std::string{scheme == std::string_view::npos ? "http" : text.substr(0, scheme)} + "://" +
        std::string{rest}
    );
    if (!where) return error{errc::invalid_argument, "the proxy is " + where.error().message};
    parsed.host = where->host;
    parsed.port = where->port;
    return parsed;
}

proxy_rules::proxy_rules(std::string_view https, std::string_view http, std::string_view no_proxy) {
    if (!https.empty()) https_ = parse_proxy(https);
    if (!http.empty()) http_ = parse_proxy(http);
    while (!no_proxy.empty()) {
        const auto end = std::min(no_proxy.find_first_of(", \t"), no_proxy.size());
        auto entry = no_proxy.substr(0, end);
        no_proxy.remove_prefix(std::min(end + 1, no_proxy.size()));
        if (entry.empty()) continue;
        exception made;
        entry = take_port(entry, made.port);
        if (entry.starts_with("*.")) entry.remove_prefix(1);
        if (entry.starts_with('[') && entry.ends_with(']'))
            entry = entry.substr(1, entry.size() - 2);
        made.only_below = entry.starts_with('.');
        if (made.only_below) entry.remove_prefix(1);
        made.host = lowered(entry);
        exceptions_.push_back(std::move(made));
    }
}

bool proxy_rules::excepted(const url& to) const {
    boost::system::error_code not_an_address;
    const auto address = ip::make_address(to.host, not_an_address);
    // A proxy elsewhere has another loopback than we.
    if (to.host == "localhost" || (!not_an_address && address.is_loopback())) return true;
    return std::ranges::any_of(exceptions_, [&](const exception& e) {
        if (e.port != 0 && e.port != to.port) return false;
        if (e.host == "*") return true;
        if (!not_an_address) {
            boost::system::error_code ec;
            const auto other = ip::make_address(e.host, ec);
            return ec ? in_network(address, e.host) : other == address;
        }
        if (to.host == e.host) return !e.only_below;
        return to.host.ends_with("." + e.host);
    });
}

result<const proxy*> proxy_rules::route(const url& to) const {
    const auto& chosen = to.secure() ? https_ : http_;
    if (!chosen || excepted(to)) return nullptr;
    if (!*chosen) return chosen->error();
    return &**chosen;
}

} // namespace sluice::net::client
