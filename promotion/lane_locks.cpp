#include "promotion/lane_locks.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sluice::promotion {

boost::asio::awaitable<lane_locks::held> lane_locks::hold(std::string name) {
    std::erase_if(places_, [](const auto& entry) { return entry.second.expired(); });
    auto& known = places_[std::move(name)];
    auto here = known.lock();
    if (!here) {
        here = std::make_shared<place>(loop_);
        known = here;
    }
    // Whoever wakes first takes it; the others wait on.
    while (here->taken) {
        co_await here->freed.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    co_return held{std::move(here)};
}

} // namespace sluice::promotion
