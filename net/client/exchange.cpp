#include "net/client/exchange.hpp"

#include "net/client/connector.hpp"
#include "net/client/request_head.hpp"

#include <fmt/format.h>

#include <array>

namespace sluice::net::client {

namespace asio = boost::asio;

namespace {

constexpr std::size_t largest_replay = std::size_t{64} << 10U;
constexpr std::size_t read_size = std::size_t{64} << 10U;

// What was read is parsed before the next wait, so all exchanges of a thread share it.
std::span<char> read_buffer() {
    thread_local std::array<char, read_size> buffer;
    return buffer;
}

// Without a tunnel the proxy's own refusals come as answers: its login, and a peer it does not reach.
bool is_of_a_proxy(int status) {
    return status == 407 || status == 502 || status == 504;
}

std::string chunk(std::string_view bytes) {
    auto framed = fmt::format("{:x}\r\n", bytes.size());
    framed.reserve(framed.size() + bytes.size() + 2);
    return framed.append(bytes).append("\r\n");
}

} // namespace

exchange::exchange(std::shared_ptr<shared_parts> shared, http_call call)
    : shared_(std::move(shared)), call_(std::move(call)),
      time_(shared_->waits, call_.deadlines, call_.url.authority()),
      meter_(shared_->metrics, call_.peer),
      reader_(call_.url.authority(), /*without_body=*/call_.method == "HEAD") {}

error exchange::fail(error why) {
    meter_.failed(why.code);
    link_.reset();
    place_.leave();
    return why;
}

bool exchange::announces_more_than(std::size_t largest) const {
    return !reader_.done() && reader_.announced().value_or(0) > largest;
}

error exchange::too_large() {
    return fail(
        {errc::payload_too_large,
         fmt::format("the answer of {} is larger than {} bytes", time_.host(), call_.largest_answer)
        }
    );
}

void exchange::finish() {
    if (!link_) return;
    if (reader_.keep_alive() && body_ended_ && !write_failed_) {
        shared_->connections.keep(key_, std::move(link_));
    }
    link_.reset();
    place_.leave();
}

asio::awaitable<outcome> exchange::connect_anew() {
    reused_ = false;
    link_.reset();
    auto link = co_await connect(call_.url, through_, identity_, time_);
    if (!link) co_return link.error();
    link_ = std::move(*link);
    co_return outcome{};
}

asio::awaitable<outcome> exchange::begin() {
    const auto route = shared_->proxies.route(call_.url);
    if (!route) co_return fail(route.error());
    through_ = *route;
    auto head = request_head(call_, call_.url.secure() ? nullptr : through_);
    if (!head) co_return fail(head.error());
    head_ = std::move(*head);
    key_ = call_.url.scheme + "://" + call_.url.authority();
    if (call_.url.secure()) {
        auto identity = shared_->identities.get(call_.tls.get());
        if (!identity) co_return fail(identity.error());
        identity_ = std::move(*identity);
        key_ += " " + identity_->digest();
    }
    auto place = co_await shared_->connections.enter(key_, time_);
    if (!place) co_return fail(place.error());
    place_ = std::move(*place);
    link_ = shared_->connections.take(key_);
    reused_ = link_ != nullptr;
    if (!reused_) {
        auto connected = co_await connect_anew();
        if (!connected) co_return fail(connected.error());
    }
    body_ended_ = !call_.chunked;
    auto sent = co_await send_from_the_start();
    if (!sent) co_return fail(sent.error());
    co_return outcome{};
}

bool exchange::may_start_again() const noexcept {
    return reused_ && replayable_ && link_->cut() && !reader_.got_some();
}

asio::awaitable<outcome> exchange::start_again() {
    auto connected = co_await connect_anew();
    if (!connected) co_return connected.error();
    auto sent = co_await send_from_the_start();
    co_return sent;
}

// The head and as much of the body as there is.
asio::awaitable<outcome> exchange::send_from_the_start() {
    time_.talking();
    const std::string_view body = call_.chunked ? pieces_ : call_.body;
    auto sent = co_await link_->write(head_.reveal(), time_);
    if (sent) sent = co_await link_->write(body, time_);
    if (!sent && may_start_again()) {
        auto again = co_await start_again();
        co_return again;
    }
    if (!sent && link_->cut()) {
        write_failed_ = sent.error();
        co_return outcome{};
    }
    co_return sent;
}

asio::awaitable<outcome> exchange::send(std::string_view bytes) {
    if (write_failed_) co_return outcome{}; // answer() tells
    replayable_ = replayable_ && pieces_.size() + bytes.size() <= largest_replay;
    if (replayable_) pieces_ += bytes;
    if (!replayable_) pieces_ = {};
    auto sent = co_await link_->write(bytes, time_);
    if (sent) co_return outcome{};
    if (may_start_again()) {
        auto again = co_await start_again();
        co_return again;
    }
    if (!link_->cut()) co_return sent.error();
    write_failed_ = sent.error();
    co_return outcome{};
}

asio::awaitable<outcome> exchange::write(std::string bytes) {
    if (!link_ || body_ended_) {
        co_return error{errc::internal, "a body was written to an exchange that takes none"};
    }
    if (bytes.empty()) co_return outcome{};
    const auto framed = chunk(bytes);
    auto sent = co_await send(framed);
    if (!sent) co_return fail(sent.error());
    co_return outcome{};
}

// One read, parsed. The end of the connection may be the end of the answer.
asio::awaitable<outcome> exchange::receive() {
    const auto buffer = read_buffer();
    auto got = co_await link_->read(buffer, time_);
    if (got && *got > 0) co_return reader_.take({buffer.data(), *got});
    if (may_start_again()) {
        auto again = co_await start_again();
        co_return again;
    }
    // A refusal TLS tells of says more than the write it broke.
    if (!got && got.error().code != errc::unavailable) co_return got.error();
    if (write_failed_ && !reader_.got_some()) co_return *write_failed_;
    if (!got) co_return got.error();
    co_return reader_.end();
}

asio::awaitable<result<http_answer>> exchange::answer() {
    if (!link_)
        co_return error{errc::internal, "an answer was asked of an exchange that has ended"};
    if (!body_ended_) {
        body_ended_ = true;
        auto sent = co_await send("0\r\n\r\n");
        if (!sent) co_return fail(sent.error());
    }
    while (!reader_.has_head()) {
        auto received = co_await receive();
        if (!received) co_return fail(received.error());
    }
    auto head = reader_.take_head();
    if (through_ != nullptr && !call_.url.secure() && is_of_a_proxy(head.status)) {
        co_return fail(refused_by(*through_, call_.url, head.status));
    }
    meter_.answered(head.status);
    if (reader_.done()) finish();
    co_return head;
}

asio::awaitable<result<std::string>> exchange::read() {
    auto bytes = reader_.take_body();
    while (bytes.empty() && !reader_.done()) {
        if (!link_) co_return error{errc::internal, "an exchange that has ended was read"};
        auto received = co_await receive();
        if (!received) co_return fail(received.error());
        bytes = reader_.take_body();
    }
    if (reader_.done()) finish();
    co_return bytes;
}

} // namespace sluice::net::client
