#include "net/url.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <charconv>

namespace sluice::net {

namespace {

error malformed(std::string_view why) {
    return {
        errc::invalid_argument,
        "not a usable URL: " + std::string(why) + "; write https://HOST[:PORT]/PATH"
    };
}

char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

bool is_unreserved(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

std::uint16_t default_port(std::string_view scheme) noexcept {
    return scheme == "https" ? 443 : 80;
}

bool is_host_name(std::string_view host) {
    return !host.empty() && host.size() <= 253 &&
           std::ranges::all_of(host, [](char c) { return is_unreserved(c) && c != '~'; });
}

// Fills host and port from "HOST", "HOST:PORT", "[V6]" or "[V6]:PORT".
outcome read_authority(std::string_view authority, url& into) {
    std::string_view port;
    bool has_port = false;
    if (authority.starts_with('[')) {
        const auto end = authority.find(']');
        if (end == std::string_view::npos) return malformed("an IPv6 host is written [HOST]");
        into.host = authority.substr(1, end - 1);
        boost::system::error_code ec;
        boost::asio::ip::make_address_v6(into.host, ec);
        if (ec || into.host.find('%') != std::string::npos) {
            return malformed("what stands in brackets is not an IPv6 address");
        }
        const auto rest = authority.substr(end + 1);
        if (!rest.empty() && rest.front() != ':') return malformed("bytes follow the host");
        has_port = !rest.empty();
        if (has_port) port = rest.substr(1);
    } else {
        const auto colon = authority.find(':');
        into.host = authority.substr(0, colon);
        has_port = colon != std::string_view::npos;
        if (has_port) port = authority.substr(colon + 1);
        if (into.host.empty()) return malformed("the host is missing");
        if (!is_host_name(into.host)) {
            return malformed("the host is not a name or an address (write it in ASCII)");
        }
    }
    std::ranges::transform(into.host, into.host.begin(), lower);
    into.port = default_port(into.scheme);
    if (!has_port) return {};
    const auto [end, ec] = std::from_chars(port.data(), port.data() + port.size(), into.port);
    if (ec != std::errc{} || end != port.data() + port.size() || into.port == 0) {
        return malformed("the port is not a number from 1 to 65535");
    }
    return {};
}

} // namespace

std::string url::authority() const {
    const bool v6 = host.find(':') != std::string::npos;
    std::string text = v6 ? "[" + host + "]" : host;
    if (port != default_port(scheme)) text += ":" + std::to_string(port);
    return text;
}

std::string url::text() const {
    return scheme + "://" + authority() + target.substr(0, target.find('?'));
}

url url::at(std::string_view path_and_query) const {
    url other = *this;
    other.target = path_and_query.starts_with('/') ? "" : "/";
    other.target += path_and_query;
    return other;
}

result<url> parse_url(std::string_view text) {
    const auto colon = text.find("://");
    if (colon == std::string_view::npos) return malformed("the scheme is missing");
    url parsed;
    parsed.scheme = text.substr(0, colon);
    std::ranges::transform(parsed.scheme, parsed.scheme.begin(), lower);
    if (parsed.scheme != "https" && parsed.scheme != "http") {
        return malformed("the scheme is not https or http");
    }
    const auto rest = text.substr(colon + 3);
    const auto end = rest.find_first_of("/?#");
    const auto authority = rest.substr(0, end);
    if (authority.find('@') != std::string_view::npos) {
        return malformed("it holds a user name or password, which belong in a Secret");
    }
    if (const auto read = read_authority(authority, parsed); !read) return read.error();

    if (end == std::string_view::npos) return parsed;
    const auto target = rest.substr(end);
    if (target.find('#') != std::string_view::npos) return malformed("it holds a fragment (#)");
    const auto fit = [](char c) { return c > ' ' && c < '\x7f'; };
    if (!std::ranges::all_of(target, fit)) {
        return malformed("its path holds bytes that must be percent-encoded");
    }
    return parsed.at(target);
}

std::string encode_component(std::string_view text) {
    constexpr std::string_view digits = "0123456789ABCDEF";
    std::string encoded;
    encoded.reserve(text.size());
    for (const char c : text) {
        if (is_unreserved(c)) {
            encoded += c;
        } else {
            const auto byte = static_cast<unsigned char>(c);
            encoded += '%';
            encoded += digits[byte >> 4U];
            encoded += digits[byte & 0xfU];
        }
    }
    return encoded;
}

} // namespace sluice::net
