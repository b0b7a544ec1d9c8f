#pragma once

#include "base/unique_fd.hpp"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

namespace sluice {

// Tells when files change. inotify sees changes at once; a slow poll sees what inotify cannot (a link's target edited in place, a
// swapped parent folder, network file systems). Nothing is lost between loading and watching: construct it, load, then start().
class file_watch {
public:
    struct options {
        // Folders are watched with all below them, files by their name in their folder.
        std::vector<std::filesystem::path> roots;
        std::chrono::milliseconds quiet{100};    // changes settle this long before the callback
        std::chrono::milliseconds longest{1000}; // but no longer than this after the first
        std::chrono::milliseconds poll{10'000};
    };

    explicit file_watch(options o);
    // No callback runs any more once this returns; not to be called from the callback.
    ~file_watch();
    file_watch(const file_watch&) = delete;
    file_watch& operator=(const file_watch&) = delete;

    // `changed` runs on the watch's own thread, one at a time, and must not throw. False: it could not take the change, and is
    // called again at the next poll, since a file that cannot be read now may be readable then without having changed.
    void start(std::function<bool()> changed);
    // From any thread: `changed` runs soon, whether or not something did.
    void ask() noexcept;

private:
    static constexpr auto never = std::chrono::steady_clock::time_point::max();

    void run();
    void watch_all();
    void watch_folder(const std::filesystem::path& folder, const std::string& only);
    [[nodiscard]] bool drain();
    [[nodiscard]] std::uint64_t fingerprint() const;
    // True when readable events came, false on time-out, when asked and on stop.
    [[nodiscard]] bool wait(std::chrono::milliseconds limit);
    void wake() noexcept;

    options options_;
    unique_fd inotify_;
    unique_fd wake_;
    std::atomic<bool> asked_{false};
    std::atomic<bool> stopping_{false};
    std::map<int, std::vector<std::string>> names_; // by watch: the names that count; "" is all
    std::uint64_t seen_ = 0;
    // When the last call could not take the change.
    std::chrono::steady_clock::time_point retry_at_ = never;
    std::function<bool()> changed_;
    std::thread thread_;
};

} // namespace sluice
