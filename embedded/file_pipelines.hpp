#pragma once

#include "base/file_watch.hpp"
#include "base/result.hpp"
#include "embedded/pipeline_catalogue.hpp"
#include "embedded/reload_counters.hpp"
#include "home/pipelines.hpp"

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <mutex>
#include <string>

namespace sluice::embedded {

// Pipelines from all *.yaml and *.yml below a folder (names beginning with "." left out), read again when they change. A broken
// edit keeps the last good version, and says so in the log, in health() and in sluice_config_reloads_total.
class file_pipelines final : public home::pipelines {
public:
    struct options {
        std::filesystem::path folder;
        std::chrono::milliseconds quiet{100}; // see file_watch
        std::chrono::milliseconds poll{10'000};
        std::function<void()> changed =
            nullptr; // told after each reading that found something new; must not block
    };

    // A mistake at start is an error that tells all of them; later the last good version stays.
    [[nodiscard]] static result<std::unique_ptr<file_pipelines>>
    open(options o, observe::registry& metrics);

    [[nodiscard]] bool available() const override { return available_; }
    [[nodiscard]] pipeline::definition_ptr
    find(std::string_view ns, std::string_view name) const override;
    [[nodiscard]] std::vector<pipeline::definition_ptr> all() const override;
    [[nodiscard]] home::part_health health() const override;
    // Soon, on the thread that watches; what a SIGHUP asks for.
    void read_again() noexcept { watch_->ask(); }

private:
    file_pipelines(options o, observe::registry& metrics);

    // Reads what changed; false when nothing did. Only the thread that loads touches files_ and current_.
    [[nodiscard]] result<bool> read_folder();
    [[nodiscard]] bool reload(); // false: not all of it could be read
    void use(catalogue next);
    [[nodiscard]] bool tell(std::string problem); // true: it is news

    options options_;
    reload_counters reloads_;
    pipeline_files files_;
    bool unreadable_ = false;                  // one of them, at the last reading
    std::shared_ptr<const catalogue> current_; // what now_ holds
    snapshot<catalogue> now_;
    std::atomic<bool> available_{false};
    mutable std::mutex told_mutex_;
    std::string told_;                  // what health() says; empty: well
    std::unique_ptr<file_watch> watch_; // last: its thread uses all of the above
};

} // namespace sluice::embedded
