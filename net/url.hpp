#pragma once

#include "base/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>

namespace sluice::net {

// An absolute URL without userinfo or fragment.
struct url {
    std::string scheme; // "http" or "https", lower case
    std::string host;   // an IPv6 address without brackets
    std::uint16_t port = 0;
    std::string target = "/"; // path and query as sent

    [[nodiscard]] bool secure() const noexcept { return scheme == "https"; }
    [[nodiscard]] std::string
    authority() const;                      // for Host: the port only when it is not the default
    [[nodiscard]] std::string text() const; // with path, without query: for logs
    // The same server, another path.
    [[nodiscard]] url at(std::string_view path_and_query) const;
};

// errc::invalid_argument says what is wrong; the text is not repeated, since it may hold a password.
[[nodiscard]] result<url> parse_url(std::string_view text);

// Percent-encodes all but unreserved characters.
[[nodiscard]] std::string encode_component(std::string_view text);

} // namespace sluice::net
