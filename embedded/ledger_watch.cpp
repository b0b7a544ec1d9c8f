#include "embedded/ledger_schema.hpp"
#include "embedded/ledger_writer.hpp"

#include <fmt/format.h>

// The part of the writer that runs while the writer itself may be stuck in the disk.
namespace sluice::embedded {

namespace {

constexpr std::chrono::milliseconds look_every{250};
constexpr std::chrono::seconds try_every{1};

// Nobody's request: it writes one page, durably, and changes nothing.
class disk_trial final : public write_request {
public:
    explicit disk_trial(sqlite::connection& db) : db_(db) {}

    void perform(ledger_book& /*book*/) override {
        db_.execute(fmt::format("PRAGMA user_version={}", ledger_schema_version()).c_str());
    }
    void refuse(error /*e*/) override { refused_ = true; }
    delivery_ptr finish() override { return nullptr; }
    delivery_ptr give_up(error /*e*/) override { return nullptr; }

private:
    sqlite::connection& db_;
};

} // namespace

void ledger_writer::watch_time() {
    std::unique_lock lock{mutex_};
    while (!closed_.wait_for(lock, look_every, [this] { return writer_ended_; })) {
        lock.unlock();
        give_up_on_the_slow();
        try_the_disk();
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
        metrics_.queue_depth.set(static_cast<double>(queue_.size()));
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

// After a failure nobody may write for long, so that nobody would learn that the disk is well again.
void ledger_writer::try_the_disk() {
    const auto now = steady::now();
    {
        const std::lock_guard lock{mutex_};
        const bool is_idle = queue_.empty() && !working_since_;
        if (last_error_.empty() || dead_ || !is_idle || now < next_try_) return;
    }
    next_try_ = now + try_every;
    submit(std::make_shared<disk_trial>(db_));
}

bool ledger_writer::wedged() const {
    const std::lock_guard lock{mutex_};
    return working_since_ && steady::now() - *working_since_ > options_.wedged_after;
}

home::part_health ledger_writer::health() const {
    if (wedged()) {
        return {
            "ledger",
            false,
            "the writer is stuck; look at the state folder's disk",
            /*serving=*/false
        };
    }
    const std::lock_guard lock{mutex_};
    if (last_error_.empty()) return {"ledger", true, {}};
    return {"ledger", false, last_error_ + "; look at the state folder's disk", /*serving=*/false};
}

} // namespace sluice::embedded
