#include "promotion/strategies/notification.hpp"

#include "base/failpoint.hpp"
#include "promotion/at_once.hpp"
#include "promotion/notify/flux_event.hpp"
#include "promotion/notify/flux_event_sender.hpp"

#include <boost/asio/ip/host_name.hpp>
#include <fmt/format.h>

namespace sluice::promotion {

boost::asio::awaitable<void> notification::run(std::vector<task> batch) {
    std::erase_if(batch, [](const task& t) { return t.what != duty::carry; });
    auto tell_one = [this](task& t) { return tell(t); };
    co_await at_once(batch, tell_one);
}

boost::asio::awaitable<void> notification::tell(task t) {
    const auto begun = co_await w_.record.begin(t);
    failpoint("executor.after_begin");
    if (!begun) co_return;
    const auto& p = t.promotion;
    if (w_.events_address.empty()) {
        error none{
            errc::unprocessable,
            "the strategy notification needs the address of notification-controller: set "
            "promotion.events-address"
        };
        co_await w_.record.trouble(t, std::move(none), p.work);
        co_return;
    }
    boost::system::error_code ignored;
    auto event = notify::promote_event(p, boost::asio::ip::host_name(ignored), w_.time.now());
    const auto sent =
        co_await notify::send_flux_event(w_.client, w_.events_address, std::move(event));
    if (!sent) {
        co_await w_.record.trouble(t, sent.error(), p.work);
        co_return;
    }
    auto message = fmt::format("{} was announced for {}", p.id.revision, p.id.environment);
    (void)co_await w_.record.ended(
        p, pipeline::promotion_state::notified, "sent", std::move(message), p.work
    );
}

} // namespace sluice::promotion
