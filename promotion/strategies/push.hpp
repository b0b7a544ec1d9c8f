#pragma once

#include "promotion/strategies/desk.hpp"

#include <vector>

namespace sluice::promotion {

// Commits of the strategy push stand on each other: when one of them went another way before the push, those on top
// of it start again.
void restack(std::vector<job>& jobs);

// One push for all jobs on their way. A branch that is refused fails alone; what stands on
// each other there is tried again, each job by itself.
[[nodiscard]] boost::asio::awaitable<void>
push_all(const workshop& w, desk& d, std::vector<job>& jobs);

// The strategy push, after its commit is on the branch.
[[nodiscard]] boost::asio::awaitable<void> record_push(const workshop& w, job& j);

} // namespace sluice::promotion
