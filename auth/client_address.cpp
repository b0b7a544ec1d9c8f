#include "auth/client_address.hpp"

#include <algorithm>

namespace sluice::auth {
namespace {

std::string_view without_spaces(std::string_view text) noexcept {
    const auto first = text.find_first_not_of(" \t");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

bool is_port(std::string_view text) noexcept {
    return !text.empty() && text.size() <= 5 &&
           text.find_first_not_of("0123456789") == std::string_view::npos;
}

// Some proxies add the port: "192.0.2.1:4711", "[2001:db8::1]:4711".
std::optional<ip_address> read_entry(std::string_view entry) {
    entry = without_spaces(entry);
    if (entry.starts_with('[')) {
        const auto end = entry.find(']');
        if (end == std::string_view::npos) return std::nullopt;
        const auto rest = entry.substr(end + 1);
        if (!rest.empty() && !(rest.front() == ':' && is_port(rest.substr(1)))) return std::nullopt;
        return ip_address::parse(entry.substr(1, end - 1));
    }
    const auto colon = entry.find(':');
    const bool one_colon =
        colon != std::string_view::npos && entry.find(':', colon + 1) == std::string_view::npos;
    if (one_colon) {
        if (!is_port(entry.substr(colon + 1))) return std::nullopt;
        entry = entry.substr(0, colon);
    }
    return ip_address::parse(entry);
}

bool is_proxy(const ip_address& a, std::span<const ip_network> proxies) noexcept {
    return std::ranges::any_of(proxies, [&](const ip_network& n) { return n.contains(a); });
}

} // namespace

ip_address client_address(
    const ip_address& peer,
    std::span<const std::string_view> x_forwarded_for,
    std::span<const ip_network> proxies
) {
    ip_address nearest = peer;
    if (!is_proxy(peer, proxies)) return nearest;
    for (auto line = x_forwarded_for.rbegin(); line != x_forwarded_for.rend(); ++line) {
        auto rest = *line;
        for (;;) {
            const auto comma = rest.rfind(',');
            const auto entry =
                read_entry(comma == std::string_view::npos ? rest : rest.substr(comma + 1));
            if (!entry) return nearest;
            nearest = *entry;
            if (!is_proxy(nearest, proxies)) return nearest;
            if (comma == std::string_view::npos) break;
            rest = rest.substr(0, comma);
        }
    }
    return nearest;
}

} // namespace sluice::auth
