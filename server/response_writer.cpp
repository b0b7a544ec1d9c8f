#include "server/response_writer.hpp"

#include <array>
#include <charconv>
#include <ctime>

namespace sluice::server {

namespace {

// RFC 9110 wants a Date; it changes once a second.
std::string_view date_now() {
    thread_local std::time_t second = 0;
    thread_local std::array<char, 32> text{};
    thread_local std::size_t length = 0;
    const std::time_t now = std::time(nullptr);
    if (now != second || length == 0) {
        std::tm parts{};
        ::gmtime_r(&now, &parts);
        length = std::strftime(text.data(), text.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
        second = now;
    }
    return {text.data(), length};
}

void append_number(std::string& out, std::size_t number) {
    std::array<char, 20> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number).ptr;
    out.append(digits.data(), end);
}

// A value with a line break would become a header of its own.
void append_field(std::string& out, std::string_view name, std::string_view value) {
    out.append(name).append(": ");
    for (const char c : value) out.push_back(c == '\r' || c == '\n' || c == '\0' ? ' ' : c);
    out.append("\r\n");
}

} // namespace

std::string serialise(const http::response& r, const response_context& context) {
    std::string out;
    out.reserve(256 + r.body.size());
    out.append("HTTP/1.1 ");
    append_number(out, static_cast<std::size_t>(r.status));
    out.append(" ").append(http::reason_phrase(r.status)).append("\r\nDate: ").append(date_now());
    out.append("\r\nContent-Length: ");
    append_number(out, r.body.size());
    out.append("\r\n");
    if (!r.body.empty()) append_field(out, "Content-Type", r.content_type);
    for (const auto& [name, value] : r.headers) append_field(out, name, value);
    if (!context.request_id.empty()) append_field(out, "X-Request-Id", context.request_id);
    if (!context.keep_alive) out.append("Connection: close\r\n");
    out.append("\r\n");
    if (!context.head_only) out.append(r.body);
    return out;
}

} // namespace sluice::server
