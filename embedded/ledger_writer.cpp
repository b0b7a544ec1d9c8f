#include "embedded/ledger_writer.hpp"

#include "base/failpoint.hpp"
#include "base/thread_priority.hpp"
#include "observe/log.hpp"

#include <fmt/format.h>

namespace sluice::embedded {
namespace {

constexpr std::chrono::seconds trim_when_idle_every{60};

int remember_wal_size(void* bytes, sqlite3* /*db*/, const char* /*name*/, int frames) {
    *static_cast<std::int64_t*>(bytes) = std::int64_t{frames} * (4'096 + 24);
    return SQLITE_OK;
}

} // namespace

error ledger_writer::unavailable(std::string log) {
    constexpr std::chrono::seconds retry_after{1};
    return error(errc::unavailable, std::move(log), "the event could not be stored; try again")
        .after(retry_after);
}

ledger_writer::ledger_writer(
    const std::string& path,
    sqlite::connection db,
    digest_cache& digests,
    touched_promotions& touched,
    const ledger_options& options,
    const sluice::clock& clock,
    ledger_metrics& metrics,
    fatal_fn fatal
)
    : options_(options), clock_(clock), metrics_(metrics), touched_(touched),
      fatal_(std::move(fatal)), db_(std::move(db)), book_(db_, digests),
      retention_(db_, options.retention), next_trim_(steady::now() + options.retention.every),
      checkpointer_(path, options, metrics, [this](const sqlite::failure& f) { failed(f); }) {
    sqlite3_wal_hook(db_.handle(), remember_wal_size, &wal_bytes_);
    time_watch_ = std::thread{[this] { watch_time(); }};
    thread_ = std::thread{[this] { run(); }};
}

ledger_writer::~ledger_writer() {
    {
        const std::lock_guard lock{mutex_};
        stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
    {
        const std::lock_guard lock{mutex_};
        writer_ended_ = true;
    }
    closed_.notify_one();
    time_watch_.join();
    if (!dead()) checkpointer_.finish(db_);
}

std::optional<error> ledger_writer::refusal(steady::time_point now) const {
    if (dead_) return unavailable("the ledger is closed after a failed fsync: " + last_error_);
    if (stop_) return unavailable("the ledger is closing");
    if (queue_.size() >= options_.queue_limit) {
        return unavailable(fmt::format("{} requests already wait for the ledger", queue_.size()));
    }
    if (working_since_ && now - *working_since_ > options_.slow_after) {
        return unavailable("the disk is slow: the writer is still at work");
    }
    return std::nullopt;
}

void ledger_writer::submit(write_request_ptr request) {
    std::optional<error> refused;
    bool awaited = false;
    {
        const std::lock_guard lock{mutex_};
        refused = refusal(request->since);
        if (!refused) {
            queue_.push_back(request);
            metrics_.queue_depth.set(static_cast<double>(queue_.size()));
            awaited = queue_.size() == awaited_ || (!request->patient && !hurry_);
            hurry_ = hurry_ || !request->patient;
        }
    }
    if (!refused) {
        if (awaited) wake_.notify_one();
        return;
    }
    std::vector<delivery_ptr> back;
    if (auto value = request->give_up(std::move(*refused))) back.push_back(std::move(value));
    deliver(std::move(back));
}

void ledger_writer::run() {
    put_this_thread_first(); // everybody waits for this one: when it waits for a core, all do
    for (;;) {
        auto requests = take();
        if (!requests.empty()) {
            failpoint("ledger.writer");
            const bool changed = !dead() && write(requests);
            answer(std::move(requests));
            if (changed) tell_change();
            if (!dead()) checkpointer_.committed(db_, wal_bytes_);
        } else if (stopping()) {
            return;
        }
        if (steady::now() >= next_trim_) trim();
    }
}

ledger_writer::batch ledger_writer::take() {
    std::unique_lock lock{mutex_};
    working_since_.reset();
    const bool several = last_batch_ > 1 || queue_.size() > 1;
    if (several) gather(lock);
    await(lock, 1, next_trim_);
    const auto count = std::min(queue_.size(), options_.batch_limit);
    const auto end = queue_.begin() + static_cast<std::ptrdiff_t>(count);
    batch taken(std::make_move_iterator(queue_.begin()), std::make_move_iterator(end));
    queue_.erase(queue_.begin(), end);
    hurry_ = hurry_ && !queue_.empty();
    in_flight_ = taken;
    working_since_ = steady::now();
    metrics_.queue_depth.set(static_cast<double>(queue_.size()));
    return taken;
}

void ledger_writer::gather(std::unique_lock<std::mutex>& lock) {
    const auto end = batch_ended_ + options_.gather;
    std::size_t seen = 0;
    do {
        seen = queue_.size();
        await(lock, options_.enough, std::min(end, steady::now() + options_.quiet));
    } while (!is_enough(options_.enough) && queue_.size() > seen && steady::now() < end);
}

bool ledger_writer::is_enough(std::size_t requests) const {
    return stop_ || hurry_ || queue_.size() >= requests;
}

void ledger_writer::await(
    std::unique_lock<std::mutex>& lock, std::size_t requests, steady::time_point until
) {
    awaited_ = requests;
    wake_.wait_until(lock, until, [&] { return is_enough(requests); });
    awaited_ = 0;
}

bool ledger_writer::write(const batch& requests) {
    metrics_.batch_size.observe(static_cast<double>(requests.size()));
    for (;;) {
        std::size_t at = 0;
        try {
            perform_and_commit(requests, at);
            succeeded();
            auto changes = book_.committed(clock_.now());
            if (!changes.promotions.empty()) touched_.add(changes.promotions);
            return changes.work;
        } catch (const sqlite::failure& f) {
            book_.rolled_back();
            if (f.kind() == sqlite::trouble::constraint && at < requests.size()) {
                requests[at]->refuse({errc::internal, f.what(), "the event could not be stored"});
                continue;
            }
            failed(f);
            for (const auto& r : requests) {
                if (!r->refused()) r->refuse(unavailable(f.what()));
            }
            return false;
        } catch (const std::exception& e) {
            // Only the request at fault pays: the others are performed again without it.
            book_.rolled_back();
            requests.at(at)->refuse({errc::internal, e.what(), "the event could not be stored"});
        }
    }
}

void ledger_writer::perform_and_commit(const batch& requests, std::size_t& at) {
    sqlite::transaction all{db_};
    for (; at < requests.size(); ++at) {
        if (!requests[at]->refused()) requests[at]->perform(book_);
    }
    failpoint("ledger.before_commit");
    all.commit();
    failpoint("ledger.after_commit");
}

void ledger_writer::answer(batch requests) {
    std::optional<error> closed; // by the checkpointer's failed fsync, while this batch was written
    {
        const std::lock_guard lock{mutex_};
        in_flight_.clear();
        batch_ended_ = steady::now();
        last_batch_ = requests.size();
        if (dead_) closed = unavailable(last_error_);
    }
    const auto now = steady::now();
    std::vector<delivery_ptr> back;
    back.reserve(requests.size());
    for (auto& r : requests) {
        metrics_.latency.observe(std::chrono::duration<double>(now - r->since).count());
        if (auto value = closed ? r->give_up(*closed) : r->finish()) {
            value->luggage = std::move(r);
            back.push_back(std::move(value));
        }
    }
    deliver(std::move(back));
}

void ledger_writer::on_change(std::function<void()> told) {
    const std::lock_guard lock{mutex_};
    told_ = std::move(told);
}

void ledger_writer::tell_change() const {
    std::function<void()> told;
    {
        const std::lock_guard lock{mutex_};
        told = told_;
    }
    if (told) told();
}

void ledger_writer::trim() {
    failpoint("ledger.trim");
    bool more = false;
    try {
        if (!dead()) more = retention_.step(clock_.now());
    } catch (const sqlite::failure& f) {
        failed(f);
    }
    next_trim_ = steady::now() + (more ? options_.retention.every : trim_when_idle_every);
}

bool ledger_writer::dead() const {
    const std::lock_guard lock{mutex_};
    return dead_;
}

bool ledger_writer::stopping() const {
    const std::lock_guard lock{mutex_};
    return stop_ && queue_.empty();
}

void ledger_writer::failed(const sqlite::failure& f) {
    metrics_.failures(f.kind()).add();
    const bool fatal = f.kind() == sqlite::trouble::fsync;
    bool news = false;
    {
        const std::lock_guard lock{mutex_};
        news = fatal ? !dead_ : last_error_.empty();
        dead_ = dead_ || fatal;
        last_error_ = f.what();
    }
    if (f.kind() == sqlite::trouble::full) checkpointer_.request();
    if (!news) return;
    log::error("the ledger cannot write", {{"kind", to_string(f.kind())}, {"error", f.what()}});
    if (fatal) fatal_(fmt::format("fsync failed, nothing more is acknowledged: {}", f.what()));
}

void ledger_writer::succeeded() {
    const std::lock_guard lock{mutex_};
    if (dead_ || last_error_.empty()) return;
    last_error_.clear();
    log::info("the ledger writes again");
}

} // namespace sluice::embedded
