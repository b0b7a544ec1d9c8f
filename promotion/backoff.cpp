#include "promotion/backoff.hpp"

#include <algorithm>

namespace sluice::promotion {

bool is_transient(errc code) noexcept {
    return code == errc::unavailable || code == errc::timed_out || code == errc::too_many_requests;
}

std::chrono::milliseconds retry_delay(
    const retry_rule& rule, int failures, double dice, std::optional<std::chrono::seconds> asked
) {
    using std::chrono::milliseconds;
    auto ceiling = std::min(rule.first, rule.longest);
    for (int i = 0; i < failures && ceiling < rule.longest; ++i) {
        ceiling = std::min(ceiling * 2, rule.longest);
    }
    auto delay = milliseconds{static_cast<milliseconds::rep>(
        static_cast<double>(ceiling.count()) * std::clamp(dice, 0.0, 1.0)
    )};
    // Those who were asked to wait until the same moment still come back one after the other.
    if (asked) delay = milliseconds{*asked} + delay / 4;
    return delay;
}

} // namespace sluice::promotion
