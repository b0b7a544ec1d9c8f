#pragma once

#include "base/clock.hpp"
#include "promotion/strategies/task.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

// When is what due, and what goes together. Pure: time and memory come in as arguments.
namespace sluice::promotion {

struct pace {
    std::chrono::milliseconds poll_every{30'000};
    std::chrono::milliseconds look_at_failed{300'000};
    std::chrono::milliseconds longest_retry{300'000};
    std::chrono::milliseconds breath{1'000}; // between two runs for a promotion nobody wrote to
    std::chrono::hours second_looks{24};     // a closed pull request may be opened again and merged
};

// When a promotion was last looked at, or carried. What is written to the ledger after `at` is news.
struct look {
    time_point at;
    int failures = 0; // in a row
    bool carried = false;
};

[[nodiscard]] duty duty_of(const pipeline::promotion& p) noexcept;

// Nothing: there is nothing to do for it. `last` is this process's memory; nothing after a start.
[[nodiscard]] std::optional<time_point> due_at(
    const pipeline::promotion& p, const std::optional<look>& last, const pace& how, time_point now
);

// The tasks of each lane, those that waited longest first.
struct lane_plan {
    std::string lane;
    std::vector<task> batch;
};
struct lane_limits {
    std::size_t lanes = 4; // that may start now
    // Looking at many pull requests must not keep the next promotion of that repository waiting.
    std::size_t looks_per_run = 16;
};
[[nodiscard]] std::vector<lane_plan> plan_lanes(
    std::vector<task> due, const std::set<std::string, std::less<>>& busy, lane_limits limits
);

} // namespace sluice::promotion
