#include "embedded/ledger_writer.hpp"

// The part of the writer that runs while the writer itself may be stuck in the disk.
namespace sluice::embedded {

namespace {

constexpr std::chrono::milliseconds look_every{250};

} // namespace

void ledger_writer::watch_time() {
    std::unique_lock lock{mutex_};
    while (!closed_.wait_for(lock, look_every, [this] { return writer_ended_; })) {
        lock.unlock();
        give_up_on_the_slow();
        lock.lock();
    }
}

// Who waited until the sender's next try is told to try again. What of it is stored meanwhile is found again by its digest.
void ledger_writer::give_up_on_the_slow() {
    batch slow;
    {
        const std::lock_guard lock{mutex_};
        const auto edge = steady::now() - options_.slow_after;
        for (; !queue_.empty() && queue_.front()->since < edge; queue_.pop_front()) {
            slow.push_back(std::move(queue_.front()));
        }
        for (const auto& r : in_flight_) {
            if (r->since < edge) slow.push_back(r);
        }
    }
    std::vector<delivery_ptr> back;
    for (const auto& r : slow) {
        if (auto value = r->give_up(unavailable("the disk is slow: not stored in time"))) {
            back.push_back(std::move(value));
        }
    }
    deliver(std::move(back));
}

bool ledger_writer::wedged() const {
    const std::lock_guard lock{mutex_};
    return !in_flight_.empty() && steady::now() - batch_began_ > options_.wedged_after;
}

home::part_health ledger_writer::health() const {
    if (wedged()) {
        return {
            "ledger",
            false,
            "the writer is stuck in one batch; look at the state folder's disk",
            /*serving=*/false
        };
    }
    const std::lock_guard lock{mutex_};
    if (last_error_.empty()) return {"ledger", true, {}};
    return {"ledger", false, last_error_ + "; look at the state folder's disk", /*serving=*/false};
}

} // namespace sluice::embedded
