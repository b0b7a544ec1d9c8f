#pragma once

#include "promotion/strategies/desk.hpp"

// The strategy pull-request, the part that talks to the forge. Each step finds what an earlier try left behind.
namespace sluice::promotion {

// Before the push: who has the branch now? An older promotion whose pull request was merged meanwhile is recorded,
// and the job starts again from the fetch; one that is still open makes room as `onNewer` says.
[[nodiscard]] boost::asio::awaitable<void> make_room(const workshop& w, job& j);

// After the push: the pull request is found or made, told what it is about, and recorded.
[[nodiscard]] boost::asio::awaitable<void> open_pull_request(const workshop& w, desk& d, job& j);

} // namespace sluice::promotion
