#pragma once

#include "net/trace_context.hpp"

#include <boost/asio/ip/address.hpp>
#include <boost/container/small_vector.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

// Requests and responses as handlers see them: small values, no parser's types.
namespace sluice::http {

struct field {
    std::string_view name;
    std::string_view value;
};
// ASCII only, as header names are.
[[nodiscard]] bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept;

// How the request came in. The control socket is only reachable by the owner of the state folder.
enum class channel { https, http, control };

// Views into the buffers of the connection: valid until the handler's answer is taken.
struct request {
    std::string_view method;
    std::string_view target; // as sent; holds the query, so never logged
    std::string_view path;   // as sent, still percent-encoded
    std::string_view query;  // without '?'; may hold secrets, so never logged
    std::string_view body;
    boost::container::small_vector<field, 16> headers;
    int minor_version = 1;

    http::channel channel = http::channel::http;
    boost::asio::ip::address peer;
    std::string request_id;
    std::optional<net::trace_context> trace;
    std::chrono::steady_clock::time_point received; // when its last byte was there
    std::function<void()> free_body;                // set by the reader, called by drop_body()

    // The first value of a header, if it was sent; names are compared without case.
    [[nodiscard]] std::optional<std::string_view> header(std::string_view name) const noexcept;
    // All values, in the order sent.
    [[nodiscard]] boost::container::small_vector<std::string_view, 4> all(std::string_view name
    ) const;

    // Gives the body's memory back before the answer, for a request that waits only to be refused.
    void drop_body();
};

struct response {
    int status = 200;
    std::string content_type = "application/json";
    std::string body;
    std::vector<std::pair<std::string, std::string>> headers; // beside those the session writes
    bool close = false;                                       // end the connection after it

    response() = default;
    explicit response(int code) : status(code) {}
    response(int code, std::string type, std::string text)
        : status(code), content_type(std::move(type)), body(std::move(text)) {}
};

[[nodiscard]] std::string_view reason_phrase(int status) noexcept;

// The client's X-Request-Id if it is 1 to 64 of [A-Za-z0-9._-], else a new one.
[[nodiscard]] std::string choose_request_id(std::optional<std::string_view> offered);

} // namespace sluice::http
