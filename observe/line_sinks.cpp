#include "observe/line_sinks.hpp"

#include <unistd.h>

#include <cerrno>

namespace sluice::log {
namespace {

std::string_view text_of(const spdlog::details::log_msg& message) {
    return {message.payload.data(), message.payload.size()};
}

} // namespace

void direct_sink::log(const spdlog::details::log_msg& message) {
    auto bytes = text_of(message);
    while (!bytes.empty()) {
        const auto written = ::write(STDERR_FILENO, bytes.data(), bytes.size());
        if (written < 0 && errno == EINTR) continue;
        if (written <= 0) return; // nobody left to tell
        bytes.remove_prefix(static_cast<std::size_t>(written));
    }
}

queue_sink::queue_sink(
    std::size_t capacity, line_writer::lost_line lost, std::atomic<std::uint64_t>& dropped
)
    : writer_(STDERR_FILENO, capacity, std::move(lost)), dropped_(dropped) {}

void queue_sink::log(const spdlog::details::log_msg& message) {
    if (!writer_.push(text_of(message))) dropped_.fetch_add(1, std::memory_order_relaxed);
}

} // namespace sluice::log
