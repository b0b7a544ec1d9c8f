#include "server/request_head.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <boost/beast/http/error.hpp>

#include <algorithm>
#include <charconv>
#include <limits>

namespace sluice::server {

namespace {

namespace beast = boost::beast;
using beast::error_code;

error refused(std::string why) {
    return {errc::invalid_argument, std::move(why)};
}

bool is_digits(std::string_view text) {
    return !text.empty() &&
           std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

bool is_host(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
               std::string_view{"-._~:[]%"}.find(c) != std::string_view::npos;
    });
}

// "close" in "keep-alive, Close".
bool has_token(std::string_view list, std::string_view token) {
    while (!list.empty()) {
        const auto comma = std::min(list.find(','), list.size());
        auto item = list.substr(0, comma);
        list.remove_prefix(std::min(comma + 1, list.size()));
        while (!item.empty() && (item.front() == ' ' || item.front() == '\t'))
            item.remove_prefix(1);
        while (!item.empty() && (item.back() == ' ' || item.back() == '\t')) item.remove_suffix(1);
        if (http::equal_ignoring_case(item, token)) return true;
    }
    return false;
}

// Beast's grammar, with the views kept and nothing copied. Only heads are fed to it.
class head_parser final : public beast::http::basic_parser<true> {
public:
    head_parser(http::request& into, std::size_t most_fields)
        : into_(into), most_fields_(most_fields) {
        header_limit(std::numeric_limits<std::uint32_t>::max()); // the reader has bounded the bytes
        body_limit(boost::none);                                 // and bounds the body
    }
    int version = 0;

private:
    void on_request_impl(
        beast::http::verb /*known*/,
        beast::string_view method,
        beast::string_view target,
        int http_version,
        error_code& /*ec*/
    ) override {
        into_.method = method;
        into_.target = target;
        version = http_version;
    }
    void on_field_impl(
        beast::http::field /*known*/,
        beast::string_view name,
        beast::string_view value,
        error_code& ec
    ) override {
        if (into_.headers.size() == most_fields_) {
            ec = beast::http::error::header_limit;
        } else {
            into_.headers.push_back({name, value});
        }
    }
    void on_response_impl(int, beast::string_view, int, error_code&) override {}
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(beast::string_view body, error_code&) override { return body.size(); }
    void on_chunk_header_impl(std::uint64_t, beast::string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, beast::string_view body, error_code&) override {
        return body.size();
    }
    void on_finish_impl(error_code&) override {}

    http::request& into_;
    std::size_t most_fields_;
};

// Beast unfolds continued lines before anyone sees them, so they are looked for in the raw bytes.
bool has_folded_line(std::string_view head) {
    return head.find("\r\n ") != std::string_view::npos ||
           head.find("\r\n\t") != std::string_view::npos;
}

// "/path?query", or the absolute form a proxy is sent.
outcome split_target(http::request& r) {
    std::string_view rest = r.target;
    if (std::any_of(rest.begin(), rest.end(), [](char c) {
            return static_cast<unsigned char>(c) <= 0x20 || static_cast<unsigned char>(c) >= 0x7f;
        })) {
        return refused("The request target holds bytes that must be percent-encoded.");
    }
    for (const std::string_view scheme : {"http://", "https://"}) {
        if (!http::equal_ignoring_case(rest.substr(0, scheme.size()), scheme)) continue;
        rest.remove_prefix(std::min(rest.find_first_of("/?", scheme.size()), rest.size()));
        break;
    }
    if (rest.find('#') != std::string_view::npos)
        return refused("A request target has no fragment.");
    const auto mark = std::min(rest.find('?'), rest.size());
    r.path = mark == 0 ? std::string_view{"/"} : rest.substr(0, mark);
    r.query = rest.substr(std::min(mark + 1, rest.size()));
    return {};
}

result<body_framing> frame(const http::request& r) {
    body_framing framing;
    int hosts = 0;
    int lengths = 0;
    int codings = 0;
    framing.keep_alive = r.minor_version == 1;
    for (const auto& [name, value] : r.headers) {
        if (http::equal_ignoring_case(name, "Host")) {
            ++hosts;
            if (!is_host(value)) return refused("The Host header is not a host.");
        } else if (http::equal_ignoring_case(name, "Content-Length")) {
            ++lengths;
            if (!is_digits(value)) return refused("Content-Length is not a number.");
            const auto parsed =
                std::from_chars(value.data(), value.data() + value.size(), framing.content_length);
            if (parsed.ec != std::errc{}) {
                framing.content_length = std::numeric_limits<std::uint64_t>::max();
            }
        } else if (http::equal_ignoring_case(name, "Transfer-Encoding")) {
            ++codings;
            if (!http::equal_ignoring_case(value, "chunked")) {
                return refused("The only Transfer-Encoding understood is chunked.");
            }
            framing.chunked = true;
        } else if (http::equal_ignoring_case(name, "Connection")) {
            if (has_token(value, "close")) framing.keep_alive = false;
        } else if (http::equal_ignoring_case(name, "Expect")) {
            if (!http::equal_ignoring_case(value, "100-continue")) {
                return refused("The only expectation understood is 100-continue.");
            }
            framing.expects_continue = r.minor_version == 1;
        }
    }
    if (hosts > 1 || (hosts == 0 && r.minor_version == 1)) {
        return refused("A request has exactly one Host header.");
    }
    if (lengths + codings > 1) {
        return refused(
            "A request has one Content-Length or one Transfer-Encoding, not both or more."
        );
    }
    if (framing.chunked && r.minor_version == 0) {
        return refused("HTTP/1.0 has no Transfer-Encoding.");
    }
    return framing;
}

} // namespace

result<body_framing>
read_head(std::string_view head, std::size_t most_fields, http::request& into) {
    if (has_folded_line(head))
        return refused("Header lines may not be continued on the next line.");
    head_parser parser(into, most_fields);
    error_code ec;
    parser.put(boost::asio::buffer(head.data(), head.size()), ec);
    if (ec == beast::http::error::header_limit) {
        return error{
            errc::headers_too_large, "There are more header fields than this server takes."
        };
    }
    if (ec && ec != beast::http::error::need_more) {
        return refused("This is not HTTP/1.1: " + ec.message() + ".");
    }
    if (!parser.is_header_done()) return refused("This is not HTTP/1.1: the headers have no end.");
    if (parser.version != 10 && parser.version != 11) return refused("Speak HTTP/1.1.");
    into.minor_version = parser.version - 10;
    if (auto split = split_target(into); !split) return split.error();
    return frame(into);
}

} // namespace sluice::server
