#pragma once

#include "base/clock.hpp"
#include "net/http_client.hpp"

#include <chrono>
#include <cstdint>
#include <optional>

namespace sluice::promotion::forge {

// What one answer says about how much more may be asked. GitHub and Bitbucket write X-RateLimit-*, GitLab RateLimit-*.
struct quota_report {
    std::optional<std::int64_t> remaining;
    std::optional<time_point> reset;
    std::optional<std::chrono::seconds> retry_after;
    bool refused = false; // this very request was one too many
};

[[nodiscard]] quota_report read_quota(const net::http_answer& answer, time_point now);

// How long to stay away. GitHub's rule, good for all: Retry-After if it is there, else until the reset when nothing
// remains, else a minute, doubled each time. Never longer than an hour: then it is asked again. No clock of its own.
class quota {
public:
    void learn(const quota_report& told, time_point now);
    [[nodiscard]] std::chrono::seconds wait(time_point now) const; // zero: go on
    [[nodiscard]] std::optional<std::int64_t> remaining() const noexcept { return remaining_; }
    [[nodiscard]] time_point blocked_until() const noexcept { return blocked_until_; }

private:
    std::optional<std::int64_t> remaining_;
    time_point blocked_until_;
    int refusals_ = 0; // in a row, without a word on how long
};

} // namespace sluice::promotion::forge
