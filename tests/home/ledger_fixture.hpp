#pragma once

#include "base/clock.hpp"
#include "home/ledger.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace sluice::tests {

// A ledger that can be closed and opened again on what it kept. Every implementation gives one to the conformance suite.
class ledger_fixture {
public:
    virtual ~ledger_fixture() = default;
    [[nodiscard]] virtual home::ledger& ledger() = 0;
    virtual void restart() = 0;

    manual_clock clock{time_point{std::chrono::milliseconds{1'790'000'000'000}}};
};
using make_ledger = std::function<std::unique_ptr<ledger_fixture>()>;

inline constexpr std::chrono::seconds patience{20};

// A ledger's thread may still be inside post() when the answer has long been read: loops outlive every ledger.
inline boost::asio::io_context& lasting_loop(std::size_t which) {
    static boost::asio::io_context loops[2];
    loops[which].restart();
    return loops[which];
}

// Runs one coroutine to its end.
template <class T>
T get(boost::asio::awaitable<T> task) {
    auto& loop = lasting_loop(0);
    auto done = boost::asio::co_spawn(loop, std::move(task), boost::asio::use_future);
    loop.run_for(patience);
    if (done.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
        std::terminate(); // it still hangs in the ledger: nothing can be cleaned up
    }
    return done.get();
}

// Runs all of them at once on two threads, as the server does.
template <class T>
std::vector<T> get_all(std::vector<boost::asio::awaitable<T>> tasks) {
    boost::asio::io_context* loops[] = {&lasting_loop(0), &lasting_loop(1)};
    std::vector<std::future<T>> done;
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        done.push_back(
            boost::asio::co_spawn(*loops[i % 2], std::move(tasks[i]), boost::asio::use_future)
        );
    }
    std::thread other{[&] { loops[1]->run_for(patience); }};
    loops[0]->run_for(patience);
    other.join();
    std::vector<T> all;
    for (auto& d : done) all.push_back(d.get());
    return all;
}

} // namespace sluice::tests
