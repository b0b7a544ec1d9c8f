#pragma once

#include "promotion/strategies/desk.hpp"

#include <vector>

// What became of promotions that wait for others: open pull requests, failures, and what ended with something left
// outside.
namespace sluice::promotion {

// All tasks of one repository; none of them is to be carried.
[[nodiscard]] boost::asio::awaitable<void>
look_after(const workshop& w, desk& d, std::vector<task> tasks, credentials login);

// One with a forge: its pull request is read.
[[nodiscard]] boost::asio::awaitable<void>
follow_pull_request(const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge);
// One without: what base and branch tell. `fetched` holds both.
[[nodiscard]] boost::asio::awaitable<void>
follow_branch(const workshop& w, desk& d, task t, const tips& fetched);
// Failed or held by foreign commits: opened again when base or branch changed.
[[nodiscard]] boost::asio::awaitable<void>
revive(const workshop& w, desk& d, task t, const tips& fetched);
// Ended by a person or by a newer one: its pull request is closed and its branch removed, unless another one uses them.
[[nodiscard]] boost::asio::awaitable<void>
tidy(const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge);

} // namespace sluice::promotion
