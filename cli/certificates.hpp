#pragma once

#include "base/clock.hpp"
#include "base/file_watch.hpp"
#include "base/result.hpp"
#include "config/settings.hpp"
#include "embedded/reload_counters.hpp"
#include "home/pipelines.hpp"
#include "net/tls_context.hpp"

#include <memory>
#include <mutex>
#include <string>

namespace sluice::cli {

// The server's certificate: the operator's, or a self-signed one in STATE/tls. Read again when its files change; files
// that do not work leave the last good ones in use, and the log, health() and sluice_config_reloads_total say so.
class certificates {
public:
    [[nodiscard]] static result<std::unique_ptr<certificates>>
    open(const config::settings& s, const clock& clock, observe::registry& metrics);

    [[nodiscard]] const net::tls_context& context() const noexcept { return *context_; }
    void read_again() noexcept { watch_->ask(); }
    [[nodiscard]] home::part_health health() const;

private:
    // On the thread of watch_. False: the files cannot be used.
    [[nodiscard]] bool reload();
    [[nodiscard]] std::string told() const;
    certificates(
        std::unique_ptr<net::tls_context> context, const clock& clock, observe::registry& metrics
    );

    std::unique_ptr<net::tls_context> context_;
    const clock& clock_;
    embedded::reload_counters reloads_;
    mutable std::mutex mutex_;          // of told_
    std::string told_;                  // what is wrong with the files; empty: nothing
    std::unique_ptr<file_watch> watch_; // last: its thread uses all of the above
};

} // namespace sluice::cli
