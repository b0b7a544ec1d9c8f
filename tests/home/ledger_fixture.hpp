#pragma once

#include "base/clock.hpp"
#include "home/ledger.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
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

// A loop for one caller at a time: a test's own thread asks the ledger, and so does what it lets happen on the executor's. A
// ledger's thread may still be inside post() when the answer has long been read, so loops outlive every ledger.
class borrowed_loop {
public:
    borrowed_loop() : loop_(take()) { loop_->restart(); }
    ~borrowed_loop() {
        const std::lock_guard lock{idle().mutex};
        idle().loops.push_back(std::move(loop_));
    }
    borrowed_loop(const borrowed_loop&) = delete;
    borrowed_loop& operator=(const borrowed_loop&) = delete;

    [[nodiscard]] boost::asio::io_context& operator*() const { return *loop_; }
    boost::asio::io_context* operator->() const { return loop_.get(); }

private:
    using loop_ptr = std::unique_ptr<boost::asio::io_context>;
    struct shelf {
        std::mutex mutex;
        std::vector<loop_ptr> loops;
    };
    static shelf& idle() {
        static shelf all;
        return all;
    }
    static loop_ptr take() {
        const std::lock_guard lock{idle().mutex};
        auto& loops = idle().loops;
        if (loops.empty()) return std::make_unique<boost::asio::io_context>();
        auto taken = std::move(loops.back());
        loops.pop_back();
        return taken;
    }

    loop_ptr loop_;
};

// Runs one coroutine to its end.
template <class T>
T get(boost::asio::awaitable<T> task) {
    const borrowed_loop loop;
    auto done = boost::asio::co_spawn(*loop, std::move(task), boost::asio::use_future);
    loop->run_for(patience);
    if (done.wait_for(std::chrono::seconds{0}) != std::future_status::ready) {
        std::terminate(); // it still hangs in the ledger: nothing can be cleaned up
    }
    return done.get();
}

// Runs all of them at once on two threads, as the server does.
template <class T>
std::vector<T> get_all(std::vector<boost::asio::awaitable<T>> tasks) {
    const borrowed_loop loops[2];
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
