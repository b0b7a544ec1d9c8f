#pragma once

#include "net/http.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::server {

// The decoded values of a route's {names}.
class params {
public:
    // A name the route does not have is a bug: std::out_of_range.
    [[nodiscard]] std::string_view operator[](std::string_view name) const;

private:
    friend class router;
    struct entry {
        std::string_view name;
        std::string_view value;
    };
    boost::container::small_vector<entry, 5> entries_;
    std::vector<char> decoded_; // what the views point to where the path had escapes
};

// The session awaits the handler in place, so references stay valid until it returns.
using handler =
    std::function<boost::asio::awaitable<http::response>(http::request&, const params&)>;

struct route {
    std::string method;
    std::string pattern; // "/promotion/{ns}/{pipeline}/{env}"
    std::string name;    // how metrics call it
    server::handler handler;
};

enum class routing { matched, not_found, method_not_allowed, malformed };

struct route_match {
    routing kind = routing::not_found;
    std::size_t index = 0; // into routes(), when matched
    server::params params;
    std::string allow; // when the method is not allowed
};

// A table, matched whole segment by whole segment. Where two routes fit, the one with a fixed segment further left wins;
// a first segment that is fixed in any route, or reserved, is never taken for a {name}. HEAD is answered as GET.
class router {
public:
    // A pattern that cannot be right is a bug: std::invalid_argument.
    explicit router(std::vector<route> routes, std::vector<std::string> reserved = {});

    [[nodiscard]] route_match match(std::string_view method, std::string_view path) const;
    [[nodiscard]] const std::vector<route>& routes() const noexcept { return routes_; }

private:
    struct segment {
        std::string text;
        bool is_param = false;
    };
    using pattern = std::vector<segment>;
    using path_segments = boost::container::small_vector<std::string_view, 8>;
    [[nodiscard]] static pattern parse_pattern(const std::string& text);
    [[nodiscard]] bool fits(const pattern& p, const path_segments& path, bool first_is_fixed) const;

    std::vector<route> routes_;
    std::vector<pattern> patterns_; // beside routes_
    std::vector<std::string> fixed_first_;
};

} // namespace sluice::server
