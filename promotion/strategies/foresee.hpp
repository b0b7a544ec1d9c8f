#pragma once

#include "promotion/executor.hpp"
#include "promotion/strategies/workshop.hpp"

namespace sluice::promotion {

// The same patch and text a promotion would make, in the cache only.
[[nodiscard]] boost::asio::awaitable<result<preview>> foresee(
    const workshop& w,
    pipeline::definition_ptr pipeline,
    std::string environment,
    pipeline::revision_facts facts
);

} // namespace sluice::promotion
