#include "tests/unit/embedded/simulated_disk_io.hpp"

#include "tests/unit/embedded/simulated_disk.hpp"

#include <algorithm>
#include <cstring>
#include <new>

namespace sluice::tests {

struct disk_io {
    using lock = std::lock_guard<std::mutex>;

    struct handle {
        sqlite3_file base;
        simulated_disk* disk;
        std::shared_ptr<simulated_disk::file> content;
        bool is_database = false;
        int level = SQLITE_LOCK_NONE;
        bool uses_regions = false;
        bool shm_shared[SQLITE_SHM_NLOCK] = {};
    };
    static handle& of(sqlite3_file* f) { return *reinterpret_cast<handle*>(f); }
    static simulated_disk& of(sqlite3_vfs* v) { return *static_cast<simulated_disk*>(v->pAppData); }
    static bool is_broken(const handle& h) { return h.is_database && h.disk->fail_database_; }
    static sqlite3_vfs& real() { return *sqlite3_vfs_find(nullptr); }

    static int open(sqlite3_vfs* v, const char* name, sqlite3_file* f, int flags, int* out) {
        f->pMethods = nullptr;
        auto& disk = of(v);
        const lock guard{disk.mutex_};
        if (disk.cut_) return SQLITE_CANTOPEN;
        std::shared_ptr<simulated_disk::file> content;
        if (name == nullptr) {
            content = std::make_shared<simulated_disk::file>();
        } else if (const auto found = disk.files_.find(name); found != disk.files_.end()) {
            content = found->second;
        } else if ((flags & SQLITE_OPEN_CREATE) != 0) {
            content =
                disk.files_.emplace(name, std::make_shared<simulated_disk::file>()).first->second;
        } else {
            return SQLITE_CANTOPEN;
        }
        const bool is_database = (flags & SQLITE_OPEN_MAIN_DB) != 0;
        new (f) handle{{&methods}, &disk, std::move(content), is_database};
        if (out != nullptr) *out = flags;
        return SQLITE_OK;
    }
    static int close(sqlite3_file* f) {
        shm_unmap(f, 0);
        unlock(f, SQLITE_LOCK_NONE);
        of(f).~handle();
        return SQLITE_OK;
    }
    static int read(sqlite3_file* f, void* into, int size, sqlite3_int64 at) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        if (h.disk->cut_) return SQLITE_IOERR_READ;
        const auto& now = h.content->now;
        const auto from = std::min(static_cast<std::size_t>(at), now.size());
        const auto got = std::min(static_cast<std::size_t>(size), now.size() - from);
        std::memcpy(into, now.data() + from, got);
        if (got == static_cast<std::size_t>(size)) return SQLITE_OK;
        std::memset(static_cast<char*>(into) + got, 0, static_cast<std::size_t>(size) - got);
        return SQLITE_IOERR_SHORT_READ;
    }
    static int write(sqlite3_file* f, const void* bytes, int size, sqlite3_int64 at) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        if (!h.disk->goes_on() || is_broken(h)) return SQLITE_IOERR_WRITE;
        const auto end = at + size;
        const auto grows =
            std::max<std::int64_t>(0, end - static_cast<std::int64_t>(h.content->now.size()));
        if (h.disk->limit_ && grows > 0 && h.disk->bytes_in_all() + grows > *h.disk->limit_) {
            return SQLITE_FULL;
        }
        simulated_disk::write w{
            at, std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)), {}
        };
        simulated_disk::apply(h.content->now, w);
        h.content->unsynced.push_back(std::move(w));
        return SQLITE_OK;
    }
    static int truncate(sqlite3_file* f, sqlite3_int64 size) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        if (!h.disk->goes_on()) return SQLITE_IOERR_TRUNCATE;
        simulated_disk::write w{0, {}, size};
        simulated_disk::apply(h.content->now, w);
        h.content->unsynced.push_back(std::move(w));
        return SQLITE_OK;
    }
    static int sync(sqlite3_file* f, int /*flags*/) {
        auto& h = of(f);
        std::unique_lock guard{h.disk->mutex_};
        const auto hangs = [&] {
            const bool by_itself = h.is_database && h.disk->hang_database_;
            h.disk->database_hangs_ = h.disk->database_hangs_ || by_itself;
            return by_itself || h.disk->hang_syncs_;
        };
        h.disk->hang_is_over_.wait(guard, [&] { return !hangs(); });
        if (!h.disk->goes_on()) return SQLITE_IOERR_FSYNC;
        if (h.disk->fail_syncs_ || is_broken(h)) {
            h.content->unsynced.clear();
            return SQLITE_IOERR_FSYNC;
        }
        for (const auto& w : h.content->unsynced) simulated_disk::apply(h.content->durable, w);
        h.content->unsynced.clear();
        h.content->synced_once = true;
        return SQLITE_OK;
    }
    static int size(sqlite3_file* f, sqlite3_int64* size) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        *size = static_cast<sqlite3_int64>(h.content->now.size());
        return SQLITE_OK;
    }

    static int take(sqlite3_file* f, int level) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        auto& c = *h.content;
        if (level <= h.level) return SQLITE_OK;
        if (c.exclusive != nullptr && c.exclusive != f) return SQLITE_BUSY;
        if (level >= SQLITE_LOCK_RESERVED) {
            if (c.reserved != nullptr && c.reserved != f) return SQLITE_BUSY;
            c.reserved = f;
        }
        if (level == SQLITE_LOCK_EXCLUSIVE) {
            if (c.shared.size() > c.shared.count(f)) return SQLITE_BUSY;
            c.exclusive = f;
        }
        c.shared.insert(f);
        h.level = level;
        return SQLITE_OK;
    }
    static int unlock(sqlite3_file* f, int level) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        auto& c = *h.content;
        if (c.exclusive == f) c.exclusive = nullptr;
        if (c.reserved == f) c.reserved = nullptr;
        if (level == SQLITE_LOCK_NONE) c.shared.erase(f);
        h.level = level;
        return SQLITE_OK;
    }
    static int is_reserved(sqlite3_file* f, int* yes) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        *yes = h.content->reserved != nullptr;
        return SQLITE_OK;
    }
    static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
    static int sector(sqlite3_file*) { return 512; }
    static int traits(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

    static int shm_map(sqlite3_file* f, int region, int size, int extend, volatile void** out) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        auto& regions = h.content->regions;
        if (!h.uses_regions) ++h.content->region_users;
        h.uses_regions = true;
        *out = nullptr;
        while (regions.size() <= static_cast<std::size_t>(region)) {
            if (extend == 0) return SQLITE_OK;
            regions.push_back(std::make_unique<char[]>(static_cast<std::size_t>(size)));
        }
        *out = regions[static_cast<std::size_t>(region)].get();
        return SQLITE_OK;
    }
    static int shm_lock(sqlite3_file* f, int offset, int n, int flags) {
        auto& h = of(f);
        const lock guard{h.disk->mutex_};
        auto& c = *h.content;
        const bool shared = (flags & SQLITE_SHM_SHARED) != 0;
        if ((flags & SQLITE_SHM_UNLOCK) != 0) {
            for (int i = offset; i < offset + n; ++i) {
                if (h.shm_shared[i]) --c.shared_locks[i];
                h.shm_shared[i] = false;
                if (c.exclusive_locks[i] == f) c.exclusive_locks[i] = nullptr;
            }
            return SQLITE_OK;
        }
        for (int i = offset; i < offset + n; ++i) {
            const bool others = c.shared_locks[i] > (h.shm_shared[i] ? 1 : 0);
            if (c.exclusive_locks[i] != nullptr && c.exclusive_locks[i] != f) return SQLITE_BUSY;
            if (!shared && others) return SQLITE_BUSY;
        }
        for (int i = offset; i < offset + n; ++i) {
            if (!shared) {
                c.exclusive_locks[i] = f;
            } else if (!h.shm_shared[i]) {
                h.shm_shared[i] = true;
                ++c.shared_locks[i];
            }
        }
        return SQLITE_OK;
    }
    static void shm_barrier(sqlite3_file* f) { const lock guard{of(f).disk->mutex_}; }
    static int shm_unmap(sqlite3_file* f, int /*remove*/) {
        auto& h = of(f);
        if (!h.uses_regions) return SQLITE_OK;
        shm_lock(f, 0, SQLITE_SHM_NLOCK, SQLITE_SHM_UNLOCK);
        const lock guard{h.disk->mutex_};
        h.uses_regions = false;
        if (--h.content->region_users == 0) h.content->regions.clear();
        return SQLITE_OK;
    }

    static int remove(sqlite3_vfs* v, const char* name, int /*sync*/) {
        auto& disk = of(v);
        const lock guard{disk.mutex_};
        if (disk.cut_) return SQLITE_IOERR_DELETE;
        return disk.files_.erase(name) > 0 ? SQLITE_OK : SQLITE_IOERR_DELETE_NOENT;
    }
    static int access(sqlite3_vfs* v, const char* name, int /*flags*/, int* yes) {
        auto& disk = of(v);
        const lock guard{disk.mutex_};
        *yes = disk.files_.contains(name) ? 1 : 0;
        return SQLITE_OK;
    }
    static int full_name(sqlite3_vfs*, const char* name, int size, char* out) {
        sqlite3_snprintf(size, out, "%s", name);
        return SQLITE_OK;
    }
    static int randomness(sqlite3_vfs*, int n, char* out) {
        return real().xRandomness(&real(), n, out);
    }
    static int sleep(sqlite3_vfs*, int us) { return real().xSleep(&real(), us); }
    static int now(sqlite3_vfs*, double* t) { return real().xCurrentTime(&real(), t); }
    static int last_error(sqlite3_vfs*, int, char*) { return 0; }

    static const sqlite3_io_methods methods;
};

const sqlite3_io_methods disk_io::methods = {
    2,        close,       read,        write,   truncate, sync,   size,
    take,     unlock,      is_reserved, control, sector,   traits, shm_map,
    shm_lock, shm_barrier, shm_unmap,   nullptr, nullptr,
};

void fill_in(sqlite3_vfs& vfs, simulated_disk& disk) {
    vfs.iVersion = 1;
    vfs.szOsFile = sizeof(disk_io::handle);
    vfs.mxPathname = 512;
    vfs.pAppData = &disk;
    vfs.xOpen = disk_io::open;
    vfs.xDelete = disk_io::remove;
    vfs.xAccess = disk_io::access;
    vfs.xFullPathname = disk_io::full_name;
    vfs.xRandomness = disk_io::randomness;
    vfs.xSleep = disk_io::sleep;
    vfs.xCurrentTime = disk_io::now;
    vfs.xGetLastError = disk_io::last_error;
}

} // namespace sluice::tests
