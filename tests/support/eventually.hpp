#pragma once

#include <chrono>
#include <thread>

namespace sluice::tests {

// Looks until it is true or the deadline has passed. For things that tell nobody when they change.
template <class Condition>
[[nodiscard]] bool
eventually(Condition condition, std::chrono::milliseconds deadline = std::chrono::seconds{20}) {
    const auto until = std::chrono::steady_clock::now() + deadline;
    while (!condition()) {
        if (std::chrono::steady_clock::now() > until) return false;
        std::this_thread::sleep_for(std::chrono::milliseconds{2});
    }
    return true;
}

} // namespace sluice::tests
