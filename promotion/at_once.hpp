#pragma once

#include "base/task_group.hpp"

#include <boost/asio/awaitable.hpp>
#include <boost/asio/this_coro.hpp>

#include <exception>
#include <utility>

namespace sluice::promotion {

// Runs `make(item)`, an awaitable<void>, for all items at once on this executor and returns when the last has ended,
// so that the ledger writes many of them in one commit. For coroutines nobody cancels. What escapes one is thrown
// here.
template <class Items, class Make>
boost::asio::awaitable<void> at_once(Items& items, Make make) {
    auto executor = co_await boost::asio::this_coro::executor;
    std::exception_ptr escaped;
    task_group group{executor, [&escaped](std::exception_ptr e) { escaped = std::move(e); }};
    for (auto& item : items) group.spawn(make(item));
    co_await group.join();
    if (escaped) std::rethrow_exception(escaped);
}

} // namespace sluice::promotion
