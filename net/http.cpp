#include "net/http.hpp"

#include <algorithm>
#include <random>

namespace sluice::http {

namespace {

constexpr char lower(char c) noexcept {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c;
}

constexpr bool fit_for_an_id(char c) noexcept {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

std::string new_request_id() {
    // An id tells requests apart in a log; nobody is kept out by it, so it need not be hard to guess.
    thread_local std::mt19937_64 numbers{[] {
        std::random_device device;
        return (std::uint64_t{device()} << 32U) ^ device();
    }()};
    constexpr std::string_view digits = "0123456789abcdef";
    std::uint64_t number = numbers();
    std::string id(16, '0');
    for (char& c : id) {
        c = digits[number & 0xfU];
        number >>= 4U;
    }
    return id;
}

} // namespace

bool equal_ignoring_case(std::string_view a, std::string_view b) noexcept {
    return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), [](char x, char y) {
               return lower(x) == lower(y);
           });
}

std::optional<std::string_view> request::header(std::string_view name) const noexcept {
    for (const auto& h : headers) {
        if (equal_ignoring_case(h.name, name)) return h.value;
    }
    return std::nullopt;
}

boost::container::small_vector<std::string_view, 4> request::all(std::string_view name) const {
    boost::container::small_vector<std::string_view, 4> values;
    for (const auto& h : headers) {
        if (equal_ignoring_case(h.name, name)) values.push_back(h.value);
    }
    return values;
}

void request::drop_body() {
    body = {};
    if (free_body) free_body();
}

std::string_view reason_phrase(int status) noexcept {
    switch (status) {
    case 200: return "OK";
    case 201: return "Created";
    case 202: return "Accepted";
    case 400: return "Bad Request";
    case 401: return "Unauthorized";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 409: return "Conflict";
    case 413: return "Content Too Large";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    default: return "Unknown";
    }
}

std::string choose_request_id(std::optional<std::string_view> offered) {
    if (offered && !offered->empty() && offered->size() <= 64 &&
        std::all_of(offered->begin(), offered->end(), fit_for_an_id)) {
        return std::string(*offered);
    }
    return new_request_id();
}

} // namespace sluice::http
