#include "net/client/answer_reader.hpp"

#include <boost/beast/http/basic_parser.hpp>
#include <fmt/format.h>

namespace sluice::net::client {

namespace beast = boost::beast;

namespace {

constexpr std::uint32_t largest_head = 64U << 10U;
constexpr int most_interim_answers = 16; // 1xx; each is read with its own head limit

} // namespace

class answer_reader::parser final : public beast::http::basic_parser<false> {
public:
    http_answer head;
    std::string body;

private:
    using string_view = beast::string_view;
    using error_code = beast::error_code;

    void on_request_impl(beast::http::verb, string_view, string_view, int, error_code&) override {}
    void on_response_impl(int code, string_view, int, error_code&) override { head.status = code; }
    void
    on_field_impl(beast::http::field, string_view name, string_view value, error_code&) override {
        head.headers.emplace_back(name, value);
    }
    void on_header_impl(error_code&) override {}
    void on_body_init_impl(const boost::optional<std::uint64_t>&, error_code&) override {}
    std::size_t on_body_impl(string_view bytes, error_code&) override {
        body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_chunk_header_impl(std::uint64_t, string_view, error_code&) override {}
    std::size_t on_chunk_body_impl(std::uint64_t, string_view bytes, error_code&) override {
        body.append(bytes.data(), bytes.size());
        return bytes.size();
    }
    void on_finish_impl(error_code&) override {}
};

answer_reader::answer_reader(std::string host, bool without_body)
    : host_(std::move(host)), without_body_(without_body) {
    begin();
}
answer_reader::~answer_reader() = default;
answer_reader::answer_reader(answer_reader&&) noexcept = default;
answer_reader& answer_reader::operator=(answer_reader&&) noexcept = default;

void answer_reader::begin() {
    parser_ = std::make_unique<parser>();
    parser_->eager(true);
    parser_->header_limit(largest_head);
    parser_->body_limit(boost::none); // the caller counts
    parser_->skip(without_body_);
}

error answer_reader::endless_head() const {
    return {
        errc::payload_too_large,
        fmt::format("{} sends a head of more than {} KiB", host_, largest_head >> 10U)
    };
}

outcome answer_reader::take(std::string_view bytes) {
    got_some_ = got_some_ || !bytes.empty();
    unparsed_ += bytes;
    std::string_view rest = unparsed_;
    while (!rest.empty() && !parser_->is_done()) {
        boost::system::error_code ec;
        const auto used = parser_->put(boost::asio::buffer(rest), ec);
        rest.remove_prefix(used);
        if (ec == beast::http::error::need_more) break;
        if (ec == beast::http::error::header_limit) return endless_head();
        if (ec) {
            return error{
                errc::unavailable,
                fmt::format("what {} answers is not HTTP: {}; is it the URL?", host_, ec.message())
            };
        }
        if (parser_->is_done() && parser_->head.status / 100 == 1) {
            if (parser_->head.status == 101 || ++interim_ > most_interim_answers) {
                return error{
                    errc::unavailable,
                    fmt::format("{} answers {} to everything", host_, parser_->head.status)
                };
            }
            begin();
        }
    }
    unparsed_.erase(0, unparsed_.size() - rest.size());
    // What waits for its end is a head, or the head of a chunk.
    if (!parser_->is_done() && unparsed_.size() > largest_head) return endless_head();
    return {};
}

outcome answer_reader::end() {
    boost::system::error_code ec;
    if (got_some_ && !parser_->is_done()) parser_->put_eof(ec);
    if (!ec && parser_->is_done()) return {};
    return error{
        errc::unavailable,
        fmt::format(
            "{} ended the connection {}",
            host_,
            got_some_ ? "in the middle of its answer" : "without an answer"
        )
    };
}

bool answer_reader::has_head() const noexcept {
    return parser_->is_header_done();
}

bool answer_reader::done() const noexcept {
    return parser_->is_done();
}

bool answer_reader::keep_alive() const {
    return parser_->is_done() && parser_->keep_alive() && unparsed_.empty();
}

http_answer answer_reader::take_head() {
    return std::move(parser_->head);
}

std::string answer_reader::take_body() {
    return std::exchange(parser_->body, {});
}

std::optional<std::uint64_t> answer_reader::announced() const {
    const auto length = parser_->content_length();
    return length ? std::optional{*length} : std::nullopt;
}

} // namespace sluice::net::client
