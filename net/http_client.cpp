#include "net/http_client.hpp"

#include "net/client/exchange.hpp"
#include "net/http.hpp"

#include <csignal>

namespace sluice::net {

namespace asio = boost::asio;

struct http_client::impl : client::shared_parts {
    using client::shared_parts::shared_parts;
};

std::optional<std::string_view> http_answer::header(std::string_view name) const noexcept {
    for (const auto& [key, value] : headers) {
        if (http::equal_ignoring_case(key, name)) return value;
    }
    return std::nullopt;
}

http_client::http_client(asio::io_context& loop, observe::registry& metrics, options o)
    : impl_(std::make_shared<impl>(loop, metrics, o)) {
    std::signal(SIGPIPE, SIG_IGN); // OpenSSL writes to sockets whose peer may be gone
}

http_client::~http_client() {
    stop();
}

void http_client::stop() {
    impl_->waits.stop();
    impl_->connections.clear();
}

namespace {

asio::awaitable<result<http_answer>>
whole_answer(std::shared_ptr<client::shared_parts> shared, http_call call) {
    call.chunked = false;
    const auto largest = call.largest_answer;
    client::exchange one{std::move(shared), std::move(call)};
    auto begun = co_await one.begin();
    if (!begun) co_return begun.error();
    auto answer = co_await one.answer();
    if (!answer) co_return answer.error();
    if (one.announces_more_than(largest)) co_return one.too_large();
    for (;;) {
        auto piece = co_await one.read();
        if (!piece) co_return piece.error();
        if (piece->empty()) co_return answer;
        if (answer->body.size() + piece->size() > largest) co_return one.too_large();
        answer->body += *piece;
    }
}

asio::awaitable<result<std::unique_ptr<http_exchange>>>
begun_exchange(std::shared_ptr<client::shared_parts> shared, http_call call) {
    auto one = std::make_unique<client::exchange>(std::move(shared), std::move(call));
    auto begun = co_await one->begin();
    if (!begun) co_return begun.error();
    co_return std::unique_ptr<http_exchange>{std::move(one)};
}

} // namespace

asio::awaitable<result<http_answer>> http_client::send(http_call call) {
    return whole_answer(impl_, std::move(call));
}

asio::awaitable<result<std::unique_ptr<http_exchange>>> http_client::open(http_call call) {
    return begun_exchange(impl_, std::move(call));
}

} // namespace sluice::net
