#include "server/refreshed_secret.hpp"

#include "observe/log.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <exception>
#include <memory>

namespace sluice::server {

boost::asio::awaitable<void> refresh_until(
    home::secrets& from,
    std::string ns,
    std::string name,
    std::chrono::steady_clock::time_point deadline
) {
    const auto executor = co_await boost::asio::this_coro::executor;
    // Shared with the reading, which may outlast this wait. Both run on the one thread of this loop.
    const auto finished = std::make_shared<boost::asio::steady_timer>(executor, deadline);
    auto when_read = [finished](const std::exception_ptr& escaped, const home::secret_ptr&) {
        if (escaped) log::error("reading a secret again failed; this is a bug");
        finished->expires_at(std::chrono::steady_clock::time_point::min()
        ); // also when nobody waits yet
    };
    auto reading = from.refresh(std::move(ns), std::move(name));
    boost::asio::co_spawn(executor, std::move(reading), std::move(when_read));
    boost::system::error_code cancelled; // it was read in time
    co_await finished->async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled)
    );
}

} // namespace sluice::server
