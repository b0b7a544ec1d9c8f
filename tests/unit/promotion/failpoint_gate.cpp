#include "tests/unit/promotion/failpoint_gate.hpp"

#ifdef SLUICE_WITH_FAILPOINTS

#include "base/failpoint.hpp"

#include <condition_variable>
#include <mutex>
#include <string_view>
#include <utility>

namespace sluice::tests {

struct failpoint_gate::state {
    std::string name;
    int left = 0; // until the one that is stopped
    bool reached = false;
    bool open = false;
};

namespace {

constexpr std::chrono::seconds longest_stop{60}; // a test that failed ends nevertheless

std::mutex mutex;
std::condition_variable changed;
std::shared_ptr<failpoint_gate::state> current;

void pass(std::string_view name) {
    std::unique_lock lock{mutex};
    const auto gate = current; // its waiter may outlive it
    if (!gate || gate->name != name || --gate->left != 0) return;
    gate->reached = true;
    changed.notify_all();
    changed.wait_for(lock, longest_stop, [&] { return gate->open; });
}

} // namespace

failpoint_gate::failpoint_gate(std::string name, int nth) : state_(std::make_shared<state>()) {
    state_->name = std::move(name);
    state_->left = nth;
    {
        const std::lock_guard lock{mutex};
        current = state_;
    }
    listen_at_failpoints(pass);
}

failpoint_gate::~failpoint_gate() {
    release();
}

bool failpoint_gate::somebody_stands_there(std::chrono::milliseconds within) const {
    std::unique_lock lock{mutex};
    return changed.wait_for(lock, within, [&] { return state_->reached; });
}

void failpoint_gate::release() {
    const std::lock_guard lock{mutex};
    state_->open = true;
    if (current == state_) current.reset();
    changed.notify_all();
}

} // namespace sluice::tests

#endif
