#include "base/file_watch.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <system_error>

namespace sluice {
namespace fs = std::filesystem;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

namespace {

constexpr std::uint32_t interesting = IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO |
                                      IN_CLOSE_WRITE | IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF |
                                      IN_MOVE_SELF;

class digest {
public:
    void add(std::uint64_t value) noexcept { state_ = (state_ ^ value) * 0x100000001b3U; }
    void add(std::string_view text) noexcept {
        for (const char c : text) add(static_cast<std::uint64_t>(c));
    }
    void add_file(const fs::path& path) noexcept {
        struct ::stat info{};
        add(path.native());
        if (::stat(path.c_str(), &info) != 0) return;
        for (const auto value : {info.st_dev, info.st_ino}) add(value);
        for (const auto value :
             {info.st_size,
              info.st_mtim.tv_sec,
              info.st_mtim.tv_nsec,
              info.st_ctim.tv_sec,
              info.st_ctim.tv_nsec}) {
            add(static_cast<std::uint64_t>(value));
        }
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

private:
    std::uint64_t state_ = 0xcbf29ce484222325U;
};

// Calls `visit` for a folder and all below it, links to folders included (a mounted Secret may be one), bounded against loops.
void for_each_below(
    const fs::path& folder, int depth, const std::function<void(const fs::directory_entry&)>& visit
) {
    constexpr int deepest = 16;
    std::error_code ec;
    std::vector<fs::directory_entry> entries;
    for (fs::directory_iterator it{folder, ec}; !ec && it != fs::directory_iterator{};
         it.increment(ec)) {
        if (!it->path().filename().native().starts_with('.')) entries.push_back(*it);
    }
    std::ranges::sort(entries); // the order of a folder is not stable
    for (const auto& entry : entries) {
        visit(entry);
        std::error_code ignored;
        if (depth < deepest && entry.is_directory(ignored))
            for_each_below(entry.path(), depth + 1, visit);
    }
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

} // namespace

file_watch::file_watch(options o)
    : options_(std::move(o)), inotify_(::inotify_init1(IN_NONBLOCK | IN_CLOEXEC)),
      wake_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
    if (!wake_) throw std::system_error{errno, std::generic_category(), "eventfd"};
    // Without inotify (its limits are per user) the poll alone finds changes.
    watch_all();
    seen_ = fingerprint();
}

file_watch::~file_watch() {
    stopping_ = true;
    wake();
    if (thread_.joinable()) thread_.join();
}

void file_watch::ask() noexcept {
    asked_ = true;
    wake();
}

void file_watch::wake() noexcept {
    const std::uint64_t one = 1;
    while (::write(wake_.get(), &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void file_watch::start(std::function<bool()> changed) {
    changed_ = std::move(changed);
    thread_ = std::thread{[this] { run(); }};
}

void file_watch::run() {
    while (!stopping_) {
        const bool told = wait(options_.poll);
        if (stopping_) return;
        bool changed = told && drain();
        // A change that was not told settles like any other: half of it may be written.
        changed = changed || fingerprint() != seen_;
        const auto deadline = steady_clock::now() + options_.longest;
        while (changed && steady_clock::now() < deadline && wait(options_.quiet)) (void)drain();
        if (stopping_) return;
        // Before the callback reads: what changes from here on is told again.
        watch_all();
        const auto now = fingerprint();
        const bool due = steady_clock::now() >= retry_at_;
        changed = asked_.exchange(false) || changed || due || now != seen_;
        seen_ = now;
        if (changed) retry_at_ = changed_() ? never : steady_clock::now() + options_.poll;
    }
}

bool file_watch::wait(milliseconds limit) {
    std::array<::pollfd, 2> fds{{{wake_.get(), POLLIN, 0}, {inotify_.get(), POLLIN, 0}}};
    const auto until = steady_clock::now() + limit;
    for (;;) {
        const auto left =
            std::max(milliseconds{0}, std::chrono::ceil<milliseconds>(until - steady_clock::now()));
        const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(left.count()));
        if (ready < 0 && errno == EINTR) continue;
        if (ready <= 0 || (fds[0].revents & POLLIN) == 0) return ready > 0;
        std::uint64_t ignored = 0;
        (void)!::read(wake_.get(), &ignored, sizeof ignored);
        return false;
    }
}

// Reads all pending events; true when one of them counts.
bool file_watch::drain() {
    alignas(::inotify_event) std::array<char, std::size_t{16} << 10U> buffer{};
    bool counts = false;
    for (;;) {
        const auto got = ::read(inotify_.get(), buffer.data(), buffer.size());
        if (got <= 0) return counts;
        for (const char* p = buffer.data(); p < buffer.data() + got;) {
            const auto* event = reinterpret_cast<const ::inotify_event*>(p);
            p += sizeof(::inotify_event) + event->len;
            const std::string_view name = event->len == 0 ? "" : event->name;
            const auto watch = names_.find(event->wd);
            if (watch == names_.end()) {
                counts = counts || (event->mask & IN_Q_OVERFLOW) != 0;
                continue;
            }
            if ((event->mask & IN_IGNORED) != 0) { // its folder is gone, which was told before
                names_.erase(watch);
                continue;
            }
            counts = counts || name.empty() || name.starts_with("..") ||
                     std::ranges::any_of(watch->second, [&](const auto& only) {
                         return only.empty() || only == name;
                     });
        }
    }
}

void file_watch::watch_all() {
    for (const auto& root : options_.roots) {
        // Its own name in its parent, so that a folder or link that is replaced is seen, and one that appears later too.
        std::error_code ignored;
        const auto absolute = fs::absolute(root, ignored).lexically_normal();
        const auto named = absolute.has_filename() ? absolute : absolute.parent_path();
        watch_folder(named.parent_path(), named.filename().string());
        if (!is_folder(root)) continue;
        watch_folder(root, "");
        for_each_below(root, 0, [this](const fs::directory_entry& entry) {
            if (is_folder(entry.path())) watch_folder(entry.path(), "");
        });
    }
}

void file_watch::watch_folder(const fs::path& folder, const std::string& only) {
    if (!inotify_) return;
    const int wd = ::inotify_add_watch(inotify_.get(), folder.c_str(), interesting | IN_ONLYDIR);
    if (wd < 0) return;
    auto& names = names_[wd];
    if (std::ranges::find(names, only) == names.end()) names.push_back(only);
}

std::uint64_t file_watch::fingerprint() const {
    digest sum;
    for (const auto& root : options_.roots) {
        sum.add_file(root);
        if (!is_folder(root)) continue;
        for_each_below(root, 0, [&](const fs::directory_entry& entry) {
            sum.add_file(entry.path());
        });
    }
    return sum.value();
}

} // namespace sluice
