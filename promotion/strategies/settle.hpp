#pragma once

#include "promotion/strategies/job.hpp"
#include "promotion/strategies/workshop.hpp"

#include <string>
#include <vector>

namespace sluice::promotion {

// After git was asked: what is in the base already may be a merge of its own, whose branch nobody needs any more.
[[nodiscard]] boost::asio::awaitable<void> look_back(job& j);

// A job that needs no push is recorded as what it is; of the others commit and branch are
// written down, before anything is sent.
[[nodiscard]] boost::asio::awaitable<void> settle(const workshop& w, job& j);

// All promotions that may write to this repository.
[[nodiscard]] std::vector<promotion_key> keys_in(const workshop& w, const std::string& url);

} // namespace sluice::promotion
