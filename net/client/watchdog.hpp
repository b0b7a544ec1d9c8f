#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <chrono>
#include <functional>
#include <list>
#include <memory>

namespace sluice::net::client {

using steady = std::chrono::steady_clock;

// All waits of one client: stopping ends each of them.
class watch_list {
public:
    explicit watch_list(boost::asio::io_context& loop) noexcept : loop_(loop) {}

    void stop();
    [[nodiscard]] bool stopped() const noexcept { return stopped_; }
    [[nodiscard]] boost::asio::io_context& loop() const noexcept { return loop_; }

private:
    friend class watchdog;
    struct watched {
        std::function<void()> interrupt;
        bool over = false; // the deadline passed, or the client stopped
    };

    boost::asio::io_context& loop_;
    std::list<std::shared_ptr<watched>> waits_;
    bool stopped_ = false;
};

// Interrupts one wait when its time is over or the client stops. Made just before the wait, gone just after it.
class watchdog {
public:
    watchdog(watch_list& list, steady::time_point until, std::function<void()> interrupt);
    ~watchdog();
    watchdog(const watchdog&) = delete;
    watchdog& operator=(const watchdog&) = delete;

    // Asked before the wait too: then there is nothing left to wait for.
    [[nodiscard]] bool over() const noexcept { return watched_->over; }

private:
    watch_list& list_;
    std::shared_ptr<watch_list::watched> watched_; // the timer's handler may outlive us
    std::list<std::shared_ptr<watch_list::watched>>::iterator place_;
    boost::asio::steady_timer timer_;
};

} // namespace sluice::net::client
