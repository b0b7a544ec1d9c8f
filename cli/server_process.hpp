#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "cli/certificates.hpp"
#include "config/settings.hpp"
#include "embedded/file_pipelines.hpp"
#include "embedded/file_secrets.hpp"
#include "embedded/sqlite_ledger.hpp"
#include "embedded/state_folder.hpp"
#include "intake/intake.hpp"
#include "observe/metrics.hpp"
#include "promotion/executor.hpp"
#include "server/acts_api.hpp"
#include "server/admin.hpp"
#include "server/approval_handler.hpp"
#include "server/doorkeeper.hpp"
#include "server/event_handler.hpp"
#include "server/forge_handler.hpp"
#include "server/http_server.hpp"
#include "server/promotions_api.hpp"

#include <atomic>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace sluice::cli {

// All parts of `sluice serve`, made and joined: the one place that knows everything.
class server_process {
public:
    // It accepts when this returns. The error is one line with what to do.
    [[nodiscard]] static result<std::unique_ptr<server_process>> start(config::settings s);
    ~server_process();
    server_process(const server_process&) = delete;
    server_process& operator=(const server_process&) = delete;

    // The --listen ones in order, admin last.
    [[nodiscard]] const std::vector<std::string>& urls() const noexcept { return urls_; }

    // Pipelines, secrets and certificates, soon.
    void read_again() noexcept;
    // /readyz says 503 from here on; everything is still served.
    void announce_stop() noexcept { admin_->drain(); }
    // Accepts no more, finishes the requests in hand and the steps of promotions. False when the time was too short for the
    // requests; a step that was cut off resumes at the next start.
    [[nodiscard]] bool finish(std::chrono::milliseconds grace);

private:
    explicit server_process(config::settings s);

    [[nodiscard]] outcome open_home();
    void make_handlers(); // these two are in server_routes.cpp
    void build_routes();
    // From any thread, at any time: pipelines or secrets changed. Of the ledger it hears by itself.
    void wake_executor() noexcept;
    [[nodiscard]] outcome open_listeners();
    [[nodiscard]] home::part_health loops_health() const;
    [[nodiscard]] home::part_health writer_health() const;
    [[nodiscard]] home::part_health executor_alive() const;

    // In the order they are made; ~server_process() says where the order of ending differs.
    const config::settings settings_;
    system_clock clock_;
    observe::registry metrics_;
    std::optional<embedded::state_folder> state_;
    std::unique_ptr<embedded::file_pipelines> pipelines_;
    std::unique_ptr<embedded::file_secrets> secrets_;
    std::unique_ptr<certificates> certificates_; // null without an https:// listener
    std::unique_ptr<embedded::sqlite_ledger> ledger_;
    std::unique_ptr<promotion::executor> executor_;
    std::atomic<promotion::executor*> awake_{nullptr}; // executor_, as soon as it may be woken
    std::unique_ptr<intake::intake> intake_;
    std::unique_ptr<server::doorkeeper> door_;
    std::unique_ptr<server::event_handler> events_;
    std::unique_ptr<server::approval_handler> approvals_;
    std::unique_ptr<server::forge_handler> forge_;
    std::unique_ptr<server::promotions_api> promotions_;
    std::unique_ptr<server::acts_api> acts_;
    std::unique_ptr<server::admin> admin_;
    std::optional<server::router> event_routes_;
    std::optional<server::router> admin_routes_;
    std::optional<server::router> control_routes_;
    std::unique_ptr<server::http_server> event_server_;
    std::unique_ptr<server::http_server> admin_server_;
    bool serving_ = false;
    std::vector<std::string> urls_;
};

} // namespace sluice::cli
