#include "embedded/checkpointer.hpp"

#include "embedded/ledger_schema.hpp"

namespace sluice::embedded {
namespace {

constexpr std::int64_t frame_bytes = 4'096 + 24;
// What the writer may copy between two batches: about a millisecond beside the fsync.
constexpr std::int64_t short_pass = 2LL << 20;

} // namespace

checkpointer::checkpointer(
    const std::string& path,
    const ledger_options& options,
    ledger_metrics& metrics,
    failure_sink sink
)
    : options_(options), metrics_(metrics), sink_(std::move(sink)),
      db_(path, sqlite::access::read_write, options.vfs), restart_at_(options.wal_limit) {
    set_up_writer(db_, options);
    db_.execute("PRAGMA cache_size=-256"); // it copies pages and keeps none
    thread_ = std::thread{[this] { run(); }};
}

checkpointer::~checkpointer() {
    {
        const std::lock_guard lock{mutex_};
        stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
}

void checkpointer::committed(sqlite::connection& writer, std::int64_t wal_bytes) {
    metrics_.wal_bytes.set(static_cast<double>(wal_bytes));
    if (wal_bytes < copied_) copied_ = 0; // the log has started again
    if (wal_bytes < options_.wal_limit) restart_at_ = options_.wal_limit;
    const auto left = wal_bytes - copied_;
    if (wal_bytes < restart_at_) {
        if (left >= options_.checkpoint_after) request();
        return;
    }
    const bool hurry = wal_bytes >= 2 * restart_at_;
    if (left > short_pass && !hurry) return request();
    std::unique_lock turn{pass_mutex_, std::defer_lock};
    if (hurry) {
        turn.lock();
    } else if (!turn.try_lock()) {
        return;
    }
    pass(writer);
    // A reader may hold the log open; then it goes on growing, and the next try comes later.
    restart_at_ = wal_bytes + options_.checkpoint_after;
}

void checkpointer::finish(sqlite::connection& writer) {
    const std::lock_guard turn{pass_mutex_};
    // What cannot be copied now, the next start copies.
    sqlite3_wal_checkpoint_v2(
        writer.handle(), nullptr, SQLITE_CHECKPOINT_TRUNCATE, nullptr, nullptr
    );
}

void checkpointer::request() {
    {
        const std::lock_guard lock{mutex_};
        if (requested_) return;
        requested_ = true;
    }
    wake_.notify_one();
}

void checkpointer::run() {
    std::unique_lock lock{mutex_};
    for (;;) {
        wake_.wait(lock, [this] { return requested_ || stop_; });
        if (stop_) return;
        lock.unlock();
        {
            const std::lock_guard turn{pass_mutex_};
            pass(db_);
            sync();
        }
        lock.lock();
        requested_ = false;
    }
}

void checkpointer::pass(sqlite::connection& db) {
    const auto begin = std::chrono::steady_clock::now();
    int frames = 0;
    int copied = 0;
    const int code = sqlite3_wal_checkpoint_v2(
        db.handle(), nullptr, SQLITE_CHECKPOINT_PASSIVE, &frames, &copied
    );
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
    metrics_.checkpoint.observe(took.count());
    if (code == SQLITE_OK) {
        copied_ = copied * frame_bytes;
    } else if ((code & 0xff) != SQLITE_BUSY) {
        tell(db, code);
    }
}

// SQLite syncs the database only in the pass that copies the last frame, which is the writer's: without this, the disk
// would keep it waiting for all that was copied before.
void checkpointer::sync() {
    sqlite3_file* file = nullptr;
    sqlite3_file_control(db_.handle(), nullptr, SQLITE_FCNTL_FILE_POINTER, &file);
    if (file == nullptr || file->pMethods == nullptr) return;
    const int code = file->pMethods->xSync(file, SQLITE_SYNC_NORMAL);
    // The connection knows nothing of this call: its last error, if any, is another one.
    if (code != SQLITE_OK) sink_(sqlite::failure{code, "checkpoint: the database was not synced"});
}

void checkpointer::tell(const sqlite::connection& db, int code) const {
    try {
        db.fail(code, "checkpoint");
    } catch (const sqlite::failure& f) {
        sink_(f);
    }
}

} // namespace sluice::embedded
