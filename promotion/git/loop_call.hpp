#pragma once

#include "base/result.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <exception>
#include <future>
#include <utility>

namespace sluice::promotion::git {

// Runs `work`, a function that gives an awaitable<result<T>>, on the loop, and waits here for what it says: at most until
// the deadline, and no longer than the loop runs. `work` owns all it needs, since it may go on after the wait is over.
template <class T, class Work>
[[nodiscard]] result<T> call_on_loop(
    boost::asio::io_context& loop, std::chrono::steady_clock::time_point until, Work work
) {
    constexpr std::chrono::milliseconds look_every{100}; // whether the loop still runs
    constexpr std::chrono::seconds grace{5};             // the call's own deadlines speak first
    auto said = boost::asio::co_spawn(loop, std::move(work), boost::asio::use_future);
    while (said.wait_for(look_every) != std::future_status::ready) {
        if (loop.stopped()) return error{errc::unavailable, "sluice is stopping"};
        if (std::chrono::steady_clock::now() > until + grace)
            return error{errc::timed_out, "the network loop did not answer in time"};
    }
    try {
        return said.get();
    } catch (const std::future_error&) {
        return error{errc::unavailable, "sluice is stopping"};
    }
}

} // namespace sluice::promotion::git
