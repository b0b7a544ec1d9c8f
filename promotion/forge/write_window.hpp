#pragma once

#include "base/clock.hpp"

#include <chrono>
#include <cstddef>
#include <deque>

namespace sluice::promotion::forge {

// What a forge asks of those who create content.
struct write_limits {
    std::size_t per_minute = 0; // 0: no limit
    std::size_t per_hour = 0;
    std::chrono::milliseconds apart{0}; // from the end of one write to the begin of the next
};

// Remembers the writes of the last hour. Exact: unlike a bucket that refills it never lets more through in any window. No
// clock of its own.
class write_window {
public:
    explicit write_window(write_limits limits) : limits_(limits) {}

    // Zero when a write may begin now.
    [[nodiscard]] std::chrono::milliseconds wait(time_point now) const;
    // The part of it that only keeps two writes apart, which is worth waiting for.
    [[nodiscard]] std::chrono::milliseconds pause(time_point now) const;
    void began(time_point now);
    void ended(time_point now);

    [[nodiscard]] std::size_t left_in_minute(time_point now) const;
    [[nodiscard]] std::size_t left_in_hour(time_point now) const;
    [[nodiscard]] const write_limits& limits() const noexcept { return limits_; }

private:
    [[nodiscard]] std::size_t since(time_point begin) const;
    [[nodiscard]] std::chrono::milliseconds
    until_free(time_point now, std::size_t limit, std::chrono::milliseconds window) const;

    write_limits limits_;
    std::deque<time_point> writes_; // oldest first
    time_point last_end_;
};

} // namespace sluice::promotion::forge
