#pragma once

#ifdef SLUICE_WITH_FAILPOINTS

#include <chrono>
#include <memory>
#include <string>

namespace sluice::tests {

// Whoever comes by a failpoint as the n-th one stands still there until it is released; everybody else passes. What
// SLUICE_FAILPOINTS asks for concerns the whole process and cannot be undone, so it cannot stop one of two executors.
// One gate at a time.
class failpoint_gate {
public:
    explicit failpoint_gate(std::string name, int nth = 1);
    ~failpoint_gate(); // releases
    failpoint_gate(const failpoint_gate&) = delete;
    failpoint_gate& operator=(const failpoint_gate&) = delete;

    // False when nobody came in time.
    [[nodiscard]] bool
    somebody_stands_there(std::chrono::milliseconds within = std::chrono::seconds{10}) const;
    void release();

    struct state;

private:
    std::shared_ptr<state> state_;
};

} // namespace sluice::tests

#endif
