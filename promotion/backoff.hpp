#pragma once

#include "base/error.hpp"

#include <chrono>
#include <optional>

namespace sluice::promotion {

struct retry_rule {
    std::chrono::milliseconds first{2'000};
    std::chrono::milliseconds longest{300'000};
};

// It may work later, unchanged. Every other error needs somebody to change something first.
[[nodiscard]] bool is_transient(errc code) noexcept;

// Exponential with full jitter: `dice` is in [0, 1). What the other side asked for is never undercut.
[[nodiscard]] std::chrono::milliseconds retry_delay(
    const retry_rule& rule,
    int failures, // before this one, in a row
    double dice,
    std::optional<std::chrono::seconds> asked = std::nullopt
);

} // namespace sluice::promotion
