#include "promotion/forge/write_window.hpp"

#include <algorithm>
#include <limits>

namespace sluice::promotion::forge {
namespace {

constexpr std::chrono::milliseconds minute = std::chrono::minutes{1};
constexpr std::chrono::milliseconds hour = std::chrono::hours{1};

} // namespace

std::size_t write_window::since(time_point begin) const {
    const auto first = std::ranges::upper_bound(writes_, begin);
    return static_cast<std::size_t>(writes_.end() - first);
}

std::chrono::milliseconds write_window::until_free(
    time_point now, std::size_t limit, std::chrono::milliseconds window
) const {
    if (limit == 0 || since(now - window) < limit) return {};
    // Free when the write that is `limit` from the end leaves the window.
    const auto leaves = writes_[writes_.size() - limit] + window;
    return std::max(leaves - now, std::chrono::milliseconds{0});
}

std::chrono::milliseconds write_window::pause(time_point now) const {
    if (writes_.empty()) return {};
    const auto wanted = last_end_ + limits_.apart - now;
    // A clock that was set back must not make it long.
    return std::clamp(wanted, std::chrono::milliseconds{0}, limits_.apart);
}

std::chrono::milliseconds write_window::wait(time_point now) const {
    return std::max(
        {pause(now),
         until_free(now, limits_.per_minute, minute),
         until_free(now, limits_.per_hour, hour)}
    );
}

void write_window::began(time_point now) {
    while (!writes_.empty() && writes_.front() <= now - hour) writes_.pop_front();
    // Kept in order even when the clock was set back.
    writes_.push_back(writes_.empty() ? now : std::max(now, writes_.back()));
    last_end_ = now;
}

void write_window::ended(time_point now) {
    last_end_ = std::max(last_end_, now);
}

std::size_t write_window::left_in_minute(time_point now) const {
    if (limits_.per_minute == 0) return std::numeric_limits<std::size_t>::max();
    return limits_.per_minute - std::min(limits_.per_minute, since(now - minute));
}

std::size_t write_window::left_in_hour(time_point now) const {
    if (limits_.per_hour == 0) return std::numeric_limits<std::size_t>::max();
    return limits_.per_hour - std::min(limits_.per_hour, since(now - hour));
}

} // namespace sluice::promotion::forge
