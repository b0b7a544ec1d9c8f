#pragma once

#include <sqlite3.h>

#include <condition_variable>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string>
#include <vector>

// A disk in memory under SQLite that forgets what was never synced.
namespace sluice::tests {

class simulated_disk {
public:
    // Registers itself as an SQLite VFS of this name.
    simulated_disk(std::string name, std::uint64_t seed);
    simulated_disk(const simulated_disk&) = delete;
    simulated_disk& operator=(const simulated_disk&) = delete;
    ~simulated_disk();

    [[nodiscard]] const std::string& name() const { return name_; }
    // The power goes before the n-th write, truncation or sync from now on; nothing works after it.
    void cut_after(int operations);
    [[nodiscard]] bool is_cut() const;
    // The power is back. What was synced is there; of what was only written, nothing, a part or all, by chance.
    void power_up();
    // What was to be synced is lost and still read, as the kernel does it: a later sync does not bring it to the disk.
    void fail_syncs(bool fail);
    // Writes and syncs of the database fail; its log is well.
    void fail_database(bool fail);
    // Syncs hang until it is over.
    void hang_syncs(bool hang);
    // Only those of the database, as while a checkpoint is written back; its log is well.
    void hang_database(bool hang);
    // Somebody has waited for it.
    [[nodiscard]] bool database_hangs() const;
    void limit_bytes(std::optional<std::int64_t> all_files);

private:
    friend struct disk_io;
    struct write {
        std::int64_t at;
        std::string bytes;                // of a write
        std::optional<std::int64_t> size; // of a truncation
    };
    struct file {
        std::string now;
        std::string durable;
        bool synced_once = false;
        std::vector<write> unsynced;
        // Locks of the main file, by handle.
        std::set<const void*> shared;
        const void* reserved = nullptr;
        const void* exclusive = nullptr;
        // The shared memory beside it.
        std::vector<std::unique_ptr<char[]>> regions;
        int region_users = 0;
        int shared_locks[SQLITE_SHM_NLOCK] = {};
        const void* exclusive_locks[SQLITE_SHM_NLOCK] = {};
    };

    static void apply(std::string& content, const write& w);
    [[nodiscard]] bool goes_on(); // counts; false when the power is gone
    [[nodiscard]] std::int64_t bytes_in_all() const;

    const std::string name_;
    mutable std::mutex mutex_;
    std::mt19937_64 chance_;
    std::map<std::string, std::shared_ptr<file>> files_;
    std::optional<int> left_;
    bool cut_ = false;
    bool fail_syncs_ = false;
    bool fail_database_ = false;
    bool hang_syncs_ = false;
    bool hang_database_ = false;
    bool database_hangs_ = false;
    std::condition_variable hang_is_over_;
    std::optional<std::int64_t> limit_;
    sqlite3_vfs vfs_{};
};

} // namespace sluice::tests
