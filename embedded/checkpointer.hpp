#pragma once

#include "embedded/ledger_metrics.hpp"
#include "embedded/ledger_options.hpp"
#include "embedded/sqlite.hpp"

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sluice::embedded {

// Copies the write-ahead log into the database on its own connection and thread, never waiting for a lock, so that no answer
// waits for it. Under constant load the log would only grow, for something is always left to copy; so past a limit the
// writer itself, between two batches, copies the little that is left, and SQLite starts the log again from its beginning.
class checkpointer {
public:
    using failure_sink = std::function<void(const sqlite::failure&)>;

    checkpointer(
        const std::string& path,
        const ledger_options& options,
        ledger_metrics& metrics,
        failure_sink sink
    );
    checkpointer(const checkpointer&) = delete;
    checkpointer& operator=(const checkpointer&) = delete;
    ~checkpointer();

    // By the writer after each commit, between batches. May use its connection for a short pass.
    void committed(sqlite::connection& writer, std::int64_t wal_bytes);
    // When the writer closes: the database is whole without its log.
    void finish(sqlite::connection& writer);
    // Copying may give space back.
    void request();

private:
    void run();
    void pass(sqlite::connection& db);
    void sync();
    void tell(const sqlite::connection& db, int code) const;

    const ledger_options options_;
    ledger_metrics& metrics_;
    failure_sink sink_;
    sqlite::connection db_;
    std::int64_t restart_at_;             // by the writer only
    std::atomic<std::int64_t> copied_{0}; // bytes of the log that are in the database
    std::mutex pass_mutex_;               // one pass at a time
    std::mutex mutex_;
    std::condition_variable wake_;
    bool requested_ = false;
    bool stop_ = false;
    std::thread thread_;
};

} // namespace sluice::embedded
