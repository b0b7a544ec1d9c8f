#pragma once

#include <atomic>
#include <chrono>

namespace sluice {

// Wall-clock time as the ledger keeps it: UTC milliseconds.
using time_point = std::chrono::sys_time<std::chrono::milliseconds>;

// Time comes in as an argument or from here, never from std::chrono directly, so that tests own it.
class clock {
public:
    virtual ~clock() = default;
    [[nodiscard]] virtual time_point now() const = 0;
};

class system_clock final : public clock {
public:
    [[nodiscard]] time_point now() const override {
        return std::chrono::floor<std::chrono::milliseconds>(std::chrono::system_clock::now());
    }
};

class manual_clock final : public clock {
public:
    explicit manual_clock(time_point start) : now_(start.time_since_epoch().count()) {}
    [[nodiscard]] time_point now() const override {
        return time_point{std::chrono::milliseconds{now_.load()}};
    }
    void set(time_point t) { now_ = t.time_since_epoch().count(); }
    void advance(std::chrono::milliseconds by) { now_ += by.count(); }

private:
    std::atomic<std::int64_t> now_;
};

} // namespace sluice
