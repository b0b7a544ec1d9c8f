#pragma once

#include "base/file_watch.hpp"
#include "base/result.hpp"
#include "embedded/reload_counters.hpp"
#include "embedded/snapshot.hpp"
#include "home/secrets.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace sluice::embedded {

// Secrets from FOLDER/<namespace>/<name>/<key>, read again when they change. One that cannot be read keeps its last good
// content. No message of this class holds a value.
class file_secrets final : public home::secrets {
public:
    struct options {
        std::filesystem::path folder;
        std::chrono::milliseconds quiet{100}; // see file_watch
        std::chrono::milliseconds poll{10'000};
        std::chrono::milliseconds refresh_every{10'000}; // per Secret, at most
        std::function<void()> changed =
            nullptr; // told after each reading that found something new; must not block
    };

    // What cannot be read at start is an error.
    [[nodiscard]] static result<std::unique_ptr<file_secrets>>
    open(options o, observe::registry& metrics);
    ~file_secrets() override;
    file_secrets(const file_secrets&) = delete;
    file_secrets& operator=(const file_secrets&) = delete;

    [[nodiscard]] bool available() const override { return available_; }
    [[nodiscard]] home::secret_ptr find(std::string_view ns, std::string_view name) const override;
    // The object must outlive the awaitable.
    [[nodiscard]] boost::asio::awaitable<home::secret_ptr>
    refresh(std::string ns, std::string name) override;
    [[nodiscard]] home::part_health health() const override;
    // Soon, on the thread that watches; what a SIGHUP asks for.
    void read_again() noexcept { watch_->ask(); }

private:
    using catalogue = by_name<home::secret_ptr>;
    using steady = std::chrono::steady_clock;

    file_secrets(options o, observe::registry& metrics);

    struct loaded {
        catalogue secrets;
        std::string problem; // the first, with how many more
        bool changed = false;
    };
    [[nodiscard]] result<loaded> read_folder();
    // The old object when the content is the same, so that `generation` changes exactly when it does.
    [[nodiscard]] result<home::secret_ptr>
    read_one(const std::filesystem::path& folder, const home::secret_ptr& before);
    [[nodiscard]] bool reload(); // false: not all of it could be taken
    void use(catalogue next);
    // On the pool; the single thread makes it one flight.
    void refresh_now(const pipeline::object_name& name);
    [[nodiscard]] bool is_fresh(name_view name) const;
    [[nodiscard]] bool tell(std::string problem); // true: it is news

    options options_;
    reload_counters reloads_;
    std::atomic<bool> available_{false};

    std::mutex loading_;                       // a reload and a refresh do not overwrite each other
    std::shared_ptr<const catalogue> current_; // what now_ holds, under loading_
    std::uint64_t generation_ = 0;
    bool warned_readable_ = false;
    snapshot<catalogue> now_;

    mutable std::mutex told_mutex_;
    std::string told_;
    by_name<steady::time_point> refreshed_;

    boost::asio::thread_pool pool_{1};
    std::unique_ptr<file_watch> watch_; // last: its thread uses all of the above
};

} // namespace sluice::embedded
