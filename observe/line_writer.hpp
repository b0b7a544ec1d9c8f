#pragma once

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace sluice::log {

// Writes lines to a descriptor from a thread of its own. push() never waits for the reader: when `capacity` bytes are
// queued, new lines are dropped and counted, and the next line that gets through is preceded by `lost(count)`.
class line_writer {
public:
    using lost_line = std::function<std::string(std::uint64_t)>;

    line_writer(int descriptor, std::size_t capacity, lost_line lost);
    // Writes what is queued, but waits no longer than a second for a reader that has stopped reading.
    ~line_writer();
    line_writer(const line_writer&) = delete;
    line_writer& operator=(const line_writer&) = delete;

    // False when the line was dropped.
    bool push(std::string_view line);

private:
    void run();
    void write_all(std::string_view bytes);
    bool wait_writable();
    [[nodiscard]] bool may_still_wait();

    int descriptor_;
    std::size_t capacity_;
    lost_line lost_;

    std::mutex mutex_;
    std::condition_variable arrived_;
    std::string queued_;
    std::uint64_t dropped_ = 0; // since the last line that told it
    std::chrono::steady_clock::time_point give_up_at_ =
        std::chrono::steady_clock::time_point::max();
    bool stopping_ = false;
    std::thread thread_; // last: it uses all of the above
};

} // namespace sluice::log
