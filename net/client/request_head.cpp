#include "net/client/request_head.hpp"

#include "net/http.hpp"

#include <algorithm>

namespace sluice::net::client {

namespace {

bool is_token(std::string_view text) {
    const auto fit = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               std::string_view{"!#$%&'*+-.^_`|~"}.find(c) != std::string_view::npos;
    };
    return !text.empty() && std::ranges::all_of(text, fit);
}

bool is_value(std::string_view text) {
    const auto unfit = [](char c) {
        return (static_cast<unsigned char>(c) < ' ' && c != '\t') || c == '\x7f';
    };
    return std::ranges::none_of(text, unfit);
}

bool is_target(std::string_view text) {
    const auto fit = [](char c) { return c > ' ' && c < '\x7f'; };
    return text.starts_with('/') && std::ranges::all_of(text, fit);
}

error unfit(std::string what) {
    return {errc::invalid_argument, std::move(what) + " holds bytes that cannot be sent in HTTP"};
}

bool has(const http_call& call, std::string_view name) {
    return std::ranges::any_of(call.headers, [&](const auto& h) {
        return http::equal_ignoring_case(h.first, name);
    });
}

// Reserved for all of it first: growing would leave copies of the credentials behind.
class head_text {
public:
    explicit head_text(std::size_t size) { text_.reserve(size); }
    void line(std::string_view a, std::string_view b = {}, std::string_view c = {}) {
        text_.append(a).append(b).append(c).append("\r\n");
    }
    [[nodiscard]] secret_string end() {
        text_ += "\r\n";
        return secret_string{std::move(text_)};
    }

private:
    std::string text_;
};

} // namespace

result<secret_string> request_head(const http_call& call, const proxy* proxied) {
    if (!is_token(call.method)) return unfit("the method");
    if (!is_target(call.url.target)) return unfit("the path of " + call.url.authority());
    if (!is_value(call.authorization.reveal())) return unfit("the credential");
    const auto authority = call.url.authority();
    std::size_t size = 512 + call.url.target.size() + 2 * authority.size() + call.method.size() +
                       call.authorization.reveal().size();
    if (proxied != nullptr) size += proxied->authorization.reveal().size();
    for (const auto& [name, value] : call.headers) {
        if (!is_token(name) || !is_value(value)) return unfit("a header");
        size += name.size() + value.size() + 4;
    }

    head_text head{size};
    const auto origin = proxied != nullptr ? "http://" + authority : std::string{};
    head.line(call.method + " ", origin, call.url.target + " HTTP/1.1");
    head.line("Host: ", authority);
    if (!has(call, "User-Agent")) head.line("User-Agent: sluice");
    for (const auto& [name, value] : call.headers) head.line(name, ": ", value);
    if (!call.authorization.empty()) head.line("Authorization: ", call.authorization.reveal());
    if (proxied != nullptr && !proxied->authorization.empty()) {
        head.line("Proxy-Authorization: ", proxied->authorization.reveal());
    }
    if (call.chunked) {
        head.line("Transfer-Encoding: chunked");
    } else if (!call.body.empty() || (call.method != "GET" && call.method != "HEAD")) {
        head.line("Content-Length: ", std::to_string(call.body.size()));
    }
    return head.end();
}

secret_string connect_head(const url& to, const proxy& through) {
    const bool v6 = to.host.find(':') != std::string::npos;
    const auto where = (v6 ? "[" + to.host + "]" : to.host) + ":" + std::to_string(to.port);
    head_text head{256 + 2 * where.size() + through.authorization.reveal().size()};
    head.line("CONNECT ", where, " HTTP/1.1");
    head.line("Host: ", where);
    if (!through.authorization.empty()) {
        head.line("Proxy-Authorization: ", through.authorization.reveal());
    }
    return head.end();
}

} // namespace sluice::net::client
