#include "observe/line_writer.hpp"

#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <utility>

namespace sluice::log {
namespace {

// A pipe that polls as writable takes this many bytes without blocking (POSIX: PIPE_BUF is at least 512, Linux 4096).
constexpr std::size_t chunk = 4096;
constexpr int poll_ms = 100;
constexpr std::chrono::seconds patience_at_stop{1};

} // namespace

line_writer::line_writer(int descriptor, std::size_t capacity, lost_line lost)
    : descriptor_(descriptor), capacity_(capacity), lost_(std::move(lost)),
      thread_([this] { run(); }) {}

line_writer::~line_writer() {
    {
        const std::lock_guard lock{mutex_};
        stopping_ = true;
        give_up_at_ = std::chrono::steady_clock::now() + patience_at_stop;
    }
    arrived_.notify_one();
    thread_.join();
}

bool line_writer::push(std::string_view line) {
    bool was_empty = false;
    {
        const std::lock_guard lock{mutex_};
        if (queued_.size() + line.size() > capacity_) {
            ++dropped_;
            return false;
        }
        was_empty = queued_.empty();
        if (dropped_ != 0) queued_ += lost_(std::exchange(dropped_, 0));
        queued_ += line;
    }
    if (was_empty) arrived_.notify_one();
    return true;
}

void line_writer::run() {
    std::string taken;
    for (;;) {
        taken.clear();
        {
            std::unique_lock lock{mutex_};
            arrived_.wait(lock, [this] { return stopping_ || !queued_.empty(); });
            std::swap(taken, queued_);
            if (stopping_ && dropped_ != 0) taken += lost_(std::exchange(dropped_, 0));
            if (taken.empty()) return;
        }
        write_all(taken);
    }
}

void line_writer::write_all(std::string_view bytes) {
    while (!bytes.empty()) {
        if (!wait_writable()) return;
        const auto written = ::write(descriptor_, bytes.data(), std::min(bytes.size(), chunk));
        if (written > 0) {
            bytes.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno != EINTR && errno != EAGAIN) {
            return; // nobody left to tell
        }
    }
}

bool line_writer::wait_writable() {
    while (may_still_wait()) {
        pollfd p{.fd = descriptor_, .events = POLLOUT, .revents = 0};
        if (::poll(&p, 1, poll_ms) > 0) return true;
    }
    return false;
}

bool line_writer::may_still_wait() {
    const std::lock_guard lock{mutex_};
    return std::chrono::steady_clock::now() < give_up_at_;
}

} // namespace sluice::log
