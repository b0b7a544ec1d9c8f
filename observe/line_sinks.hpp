#pragma once

#include "observe/line_writer.hpp"

#include <spdlog/sinks/sink.h>

#include <atomic>

// Where finished lines go. spdlog's own asynchronous logger is not used: its queue is bounded in messages, not in bytes, and
// at the end of the process it waits for ever for a reader that has stopped reading.
namespace sluice::log {

// Lines come in whole, so there is nothing to format.
class line_sink : public spdlog::sinks::sink {
public:
    void flush() override {}
    void set_pattern(const std::string& /*pattern*/) override {}
    void set_formatter(std::unique_ptr<spdlog::formatter> /*formatter*/) override {}
};

// Before start() and after stop(): on the caller's thread, straight to stderr.
class direct_sink final : public line_sink {
public:
    void log(const spdlog::details::log_msg& message) override;
};

// While serving: through a bounded queue that never makes a request wait.
class queue_sink final : public line_sink {
public:
    queue_sink(
        std::size_t capacity, line_writer::lost_line lost, std::atomic<std::uint64_t>& dropped
    );
    void log(const spdlog::details::log_msg& message) override;

private:
    line_writer writer_;
    std::atomic<std::uint64_t>& dropped_;
};

} // namespace sluice::log
