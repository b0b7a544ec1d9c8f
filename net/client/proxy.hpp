#pragma once

#include "base/result.hpp"
#include "base/secret_string.hpp"
#include "net/url.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::net::client {

struct proxy {
    std::string host;
    std::uint16_t port = 0;
    secret_string authorization; // value of Proxy-Authorization; empty: none

    [[nodiscard]] std::string name() const; // for messages: never the userinfo
};

// "http://[USER:PASSWORD@]HOST[:PORT]" or "HOST:PORT". The text is not repeated in an error.
[[nodiscard]] result<proxy> parse_proxy(std::string_view text);

// Which calls go through a proxy, by the rules of HTTPS_PROXY, HTTP_PROXY and NO_PROXY.
class proxy_rules {
public:
    proxy_rules(std::string_view https, std::string_view http, std::string_view no_proxy);

    // Null: directly. An error when the proxy that applies cannot be understood.
    [[nodiscard]] result<const proxy*> route(const url& to) const;

private:
    struct exception {
        std::string host;        // lower case; "*" is every host
        std::uint16_t port = 0;  // 0: any
        bool only_below = false; // ".example.com": not example.com itself
    };
    [[nodiscard]] bool excepted(const url& to) const;

    std::optional<result<proxy>> https_;
    std::optional<result<proxy>> http_;
    std::vector<exception> exceptions_;
};

} // namespace sluice::net::client
