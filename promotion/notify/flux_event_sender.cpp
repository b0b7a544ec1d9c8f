#include "promotion/notify/flux_event_sender.hpp"

#include "base/failpoint.hpp"

#include <fmt/format.h>

namespace sluice::promotion::notify {
namespace {

constexpr std::chrono::milliseconds connect_within{5'000};
constexpr std::chrono::milliseconds answer_within{15'000};

} // namespace

boost::asio::awaitable<outcome>
send_flux_event(net::http_client& client, std::string address, std::string event) {
    auto url = net::parse_url(address);
    if (!url) {
        co_return error(
            errc::unprocessable,
            fmt::format("the address of notification-controller is no URL: {}", url.error().message)
        );
    }
    const auto place = url->text();
    net::http_call call;
    call.method = "POST";
    call.url = std::move(*url);
    call.headers.emplace_back("Content-Type", "application/json");
    call.body = std::move(event);
    call.deadlines.connect = connect_within;
    call.deadlines.silence = answer_within;
    call.deadlines.total = answer_within;
    call.peer = "notification";
    failpoint("executor.before_notify");
    const auto answer = co_await client.send(std::move(call));
    failpoint("executor.after_notify");
    if (!answer) co_return answer.error();
    constexpr int too_many_requests = 429;
    if (answer->status / 100 == 2 || answer->status == too_many_requests) co_return outcome{};
    const auto code = answer->status / 100 == 5 ? errc::unavailable : errc::unprocessable;
    co_return error(
        code, fmt::format("{} answered {} to the Promote event", place, answer->status)
    );
}

} // namespace sluice::promotion::notify
