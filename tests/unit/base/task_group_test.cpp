#include "base/offload.hpp"
#include "base/task_group.hpp"
#include "tests/support/catch.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_future.hpp>

#include <stdexcept>
#include <thread>

using namespace sluice;
using namespace std::chrono_literals;
namespace asio = boost::asio;

namespace {

asio::awaitable<void> at_once() {
    co_return;
}

asio::awaitable<void> throwing(const char* text) {
    throw std::runtime_error(text);
    co_return;
}

asio::awaitable<void> until_cancelled(int& cancelled) {
    asio::steady_timer timer(co_await asio::this_coro::executor, 1h);
    auto [ec] = co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    if (ec == asio::error::operation_aborted) ++cancelled;
}

asio::awaitable<void> join_and_note(task_group& group, bool& joined) {
    co_await group.join();
    joined = true;
}

} // namespace

TEST_CASE("a group tells what escapes a task and goes on") {
    asio::io_context io{1};
    std::vector<std::string> told;
    task_group group(io.get_executor(), [&](std::exception_ptr e) {
        try {
            std::rethrow_exception(e);
        } catch (const std::exception& what) {
            told.emplace_back(what.what());
        }
    });
    group.spawn(throwing("one"));
    group.spawn(at_once());
    group.spawn(throwing("two"));
    io.run();
    CHECK(told == std::vector<std::string>{"one", "two"});
    CHECK(group.size() == 0);
}

TEST_CASE("cancelling from another thread ends every task, and join returns when the last is gone"
) {
    asio::io_context io{1};
    task_group group(io.get_executor(), {});
    int cancelled = 0;
    bool joined = false;
    for (int i = 0; i < 100; ++i) group.spawn(until_cancelled(cancelled));
    CHECK(group.size() == 100);
    asio::co_spawn(io, join_and_note(group, joined), [](std::exception_ptr) {});
    std::thread loop([&] { io.run(); });
    group.cancel();
    loop.join();
    CHECK(cancelled == 100);
    CHECK(joined);
}

TEST_CASE("a task that starts and ends while others are cancelled does no harm") {
    asio::io_context io{1};
    task_group group(io.get_executor(), {});
    int cancelled = 0;
    for (int round = 0; round < 50; ++round) {
        asio::post(io, [&] {
            group.spawn(at_once());
            group.spawn(until_cancelled(cancelled));
            group.cancel();
        });
    }
    io.run();
    CHECK(cancelled == 50);
}

TEST_CASE("offloaded work runs on the pool and its result comes back to the caller's thread") {
    asio::io_context io{1};
    asio::thread_pool pool(2);
    const auto here = std::this_thread::get_id();
    std::thread::id there;
    std::thread::id back;
    const auto work = [&](bool& done) -> asio::awaitable<int> {
        const auto pause = [&there] {
            there = std::this_thread::get_id();
            return std::make_unique<int>(42);
        };
        auto value = co_await offload(pool, pause);
        back = std::this_thread::get_id();
        const auto nothing = [&done] { done = true; };
        co_await offload(pool, nothing);
        co_return *value;
    };
    bool done = false;
    auto result = asio::co_spawn(io, work(done), asio::use_future);
    io.run();
    CHECK(result.get() == 42);
    CHECK(done);
    CHECK(there != here);
    CHECK(back == here);
}

TEST_CASE("what offloaded work throws is thrown where it is awaited") {
    asio::io_context io{1};
    asio::thread_pool pool(1);
    const auto work = [&]() -> asio::awaitable<void> {
        const auto fail = []() -> int { throw std::runtime_error("from the pool"); };
        const int value = co_await offload(pool, fail);
        (void)value;
    };
    auto result = asio::co_spawn(io, work(), asio::use_future);
    io.run();
    CHECK_THROWS_WITH(result.get(), "from the pool");
}
