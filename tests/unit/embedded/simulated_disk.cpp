#include "tests/unit/embedded/simulated_disk.hpp"

#include "tests/unit/embedded/simulated_disk_io.hpp"

#include <algorithm>
#include <cstring>

namespace sluice::tests {

simulated_disk::simulated_disk(std::string name, std::uint64_t seed)
    : name_(std::move(name)), chance_(seed) {
    fill_in(vfs_, *this);
    vfs_.zName = name_.c_str();
    sqlite3_vfs_register(&vfs_, 0);
}

simulated_disk::~simulated_disk() {
    sqlite3_vfs_unregister(&vfs_);
}

void simulated_disk::cut_after(int operations) {
    const std::lock_guard lock{mutex_};
    left_ = operations;
}

bool simulated_disk::is_cut() const {
    const std::lock_guard lock{mutex_};
    return cut_;
}

void simulated_disk::fail_syncs(bool fail) {
    const std::lock_guard lock{mutex_};
    fail_syncs_ = fail;
}

void simulated_disk::fail_database(bool fail) {
    const std::lock_guard lock{mutex_};
    fail_database_ = fail;
}

void simulated_disk::hang_syncs(bool hang) {
    {
        const std::lock_guard lock{mutex_};
        hang_syncs_ = hang;
    }
    hang_is_over_.notify_all();
}

void simulated_disk::hang_database(bool hang) {
    {
        const std::lock_guard lock{mutex_};
        hang_database_ = hang;
    }
    hang_is_over_.notify_all();
}

bool simulated_disk::database_hangs() const {
    const std::lock_guard lock{mutex_};
    return database_hangs_;
}

void simulated_disk::limit_bytes(std::optional<std::int64_t> all_files) {
    const std::lock_guard lock{mutex_};
    limit_ = all_files;
}

bool simulated_disk::goes_on() {
    if (left_ && --*left_ <= 0) cut_ = true;
    return !cut_;
}

std::int64_t simulated_disk::bytes_in_all() const {
    std::int64_t all = 0;
    for (const auto& [path, f] : files_) all += static_cast<std::int64_t>(f->now.size());
    return all;
}

void simulated_disk::apply(std::string& content, const write& w) {
    if (w.size) return content.resize(static_cast<std::size_t>(*w.size));
    const auto at = static_cast<std::size_t>(w.at);
    if (content.size() < at + w.bytes.size()) content.resize(at + w.bytes.size());
    std::memcpy(content.data() + at, w.bytes.data(), w.bytes.size());
}

void simulated_disk::power_up() {
    const std::lock_guard lock{mutex_};
    constexpr std::size_t sector = 512;
    const auto fortune =
        chance_() % 3; // nothing, some sectors, or all of what was never synced survives
    for (auto f = files_.begin(); f != files_.end();) {
        auto& content = *f->second;
        for (const auto& w : content.unsynced) {
            if (w.size) {
                if (fortune == 2 || (fortune == 1 && chance_() % 2 == 0)) apply(content.durable, w);
                continue;
            }
            for (std::size_t from = 0; from < w.bytes.size(); from += sector) {
                if (fortune == 0 || (fortune == 1 && chance_() % 2 == 0)) continue;
                apply(
                    content.durable,
                    {w.at + static_cast<std::int64_t>(from), w.bytes.substr(from, sector), {}}
                );
            }
        }
        const bool named = content.synced_once || fortune == 2;
        auto fresh = std::make_shared<file>();
        fresh->now = content.durable;
        fresh->durable = content.durable;
        fresh->synced_once = true;
        f->second = std::move(fresh);
        f = named ? std::next(f) : files_.erase(f);
    }
    cut_ = false;
    left_.reset();
}

} // namespace sluice::tests
