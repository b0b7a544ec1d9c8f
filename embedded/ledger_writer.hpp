#pragma once

#include "base/clock.hpp"
#include "embedded/checkpointer.hpp"
#include "embedded/ledger_book.hpp"
#include "embedded/ledger_metrics.hpp"
#include "embedded/ledger_options.hpp"
#include "embedded/retention.hpp"
#include "embedded/touched_promotions.hpp"
#include "embedded/write_request.hpp"

#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace sluice::embedded {

// One thread writes. It takes all that waits, performs it in one transaction, commits once, and only then answers: while one
// batch is on its way to the disk, the next gathers. One lonely request costs one fsync and no delay; where several senders
// are busy, a commit waits a moment for company (ledger_options::enough).
class ledger_writer {
public:
    // After it nothing is acknowledged any more; the owner ends the process.
    using fatal_fn = std::function<void(const std::string& why)>;

    ledger_writer(
        const std::string& path,
        sqlite::connection db,
        digest_cache& digests,
        touched_promotions& touched,
        const ledger_options& options,
        const sluice::clock& clock,
        ledger_metrics& metrics,
        fatal_fn fatal
    );
    ledger_writer(const ledger_writer&) = delete;
    ledger_writer& operator=(const ledger_writer&) = delete;
    ~ledger_writer(); // what waits is still written and answered

    // Called by the writer's thread after a commit that gave the executor work, once its callers are answered.
    void on_change(std::function<void()> told);
    // Answers the caller itself, now or later.
    void submit(write_request_ptr request);
    [[nodiscard]] home::part_health health() const;
    [[nodiscard]] bool wedged() const;

private:
    using steady = std::chrono::steady_clock;
    using batch = std::vector<write_request_ptr>;

    void run();
    [[nodiscard]] batch take();
    [[nodiscard]] bool is_enough(std::size_t requests) const;
    void gather(std::unique_lock<std::mutex>& lock);
    void await(std::unique_lock<std::mutex>& lock, std::size_t requests, steady::time_point until);
    [[nodiscard]] bool write(const batch& requests); // true: the executor has work
    void tell_change() const;
    void perform_and_commit(const batch& requests, std::size_t& at);
    void answer(batch requests);
    void trim();
    void watch_time();
    void give_up_on_the_slow();
    void try_the_disk();
    void failed(const sqlite::failure& f);
    void succeeded();
    [[nodiscard]] bool dead() const;
    [[nodiscard]] bool stopping() const;
    [[nodiscard]] std::optional<error> refusal(steady::time_point now) const;
    [[nodiscard]] static error unavailable(std::string log);

    const ledger_options options_;
    const sluice::clock& clock_;
    ledger_metrics& metrics_;
    touched_promotions& touched_;
    fatal_fn fatal_;
    sqlite::connection db_;
    ledger_book book_;
    retention retention_;
    std::int64_t wal_bytes_ = 0;
    steady::time_point next_trim_;

    mutable std::mutex mutex_;
    std::function<void()> told_;
    std::condition_variable wake_;
    std::deque<write_request_ptr> queue_;
    bool hurry_ = false; // among them is one that does not wait for others
    std::size_t awaited_ =
        0; // so many wake the writer: one that wakes for each runs twice for every event
    batch in_flight_;
    std::optional<steady::time_point> working_since_; // all but waiting: batch, checkpoint, trim
    steady::time_point batch_ended_;
    std::size_t last_batch_ = 0; // how many requests it had
    std::string last_error_;     // empty while all is well
    bool dead_ = false;
    bool stop_ = false;
    bool writer_ended_ = false;
    std::condition_variable closed_;

    checkpointer checkpointer_;
    steady::time_point next_try_; // by time_watch_ only
    std::thread time_watch_;
    std::thread thread_;
};

} // namespace sluice::embedded
