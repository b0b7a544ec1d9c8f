#include "cli/server_process.hpp"

#include "config/room_options.hpp"
#include "observe/log.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

// A loop that has not come round for this long hangs; it never blocks on purpose.
constexpr auto loop_is_wedged_after = 10s;
constexpr auto admin_grace = 1s;

// Platform and command line are few; a thousand leave room for every probe, whatever strangers do elsewhere.
server::limits admin_limits(server::limits l) {
    l.connections = 1'000;
    l.connections_per_address = 1'000;
    return l;
}

// After a failed fsync nothing this process believes about the disk is true any more.
void end_at_once(const std::string& why) {
    log::error(
        "the ledger cannot be trusted any more, ending; the next start recovers it",
        {{"problem", why}}
    );
    log::stop();
    ::_exit(1);
}

} // namespace

server_process::server_process(config::settings s) : settings_(std::move(s)) {}

result<std::unique_ptr<server_process>> server_process::start(config::settings s) {
    std::unique_ptr<server_process> made{new server_process{std::move(s)}};
    if (const auto opened = made->open_home(); !opened) return opened.error();
    made->make_handlers();
    made->build_routes();
    if (const auto opened = made->open_listeners(); !opened) return opened.error();
    return made;
}

outcome server_process::open_home() {
    auto state = embedded::state_folder::lock(settings_.state);
    if (!state) return state.error();
    state_.emplace(std::move(*state));

    embedded::file_pipelines::options pipelines;
    pipelines.folder = settings_.pipelines;
    pipelines.changed = [this] { wake_executor(); };
    auto opened_pipelines = embedded::file_pipelines::open(std::move(pipelines), metrics_);
    if (!opened_pipelines) return opened_pipelines.error();
    pipelines_ = std::move(*opened_pipelines);

    embedded::file_secrets::options secrets;
    secrets.folder = settings_.secrets;
    secrets.changed = [this] { wake_executor(); };
    auto opened_secrets = embedded::file_secrets::open(std::move(secrets), metrics_);
    if (!opened_secrets) return opened_secrets.error();
    secrets_ = std::move(*opened_secrets);

    auto ledger = embedded::sqlite_ledger::open(
        state_->database(), config::ledger_options(settings_), clock_, metrics_, end_at_once
    );
    if (!ledger) return ledger.error();
    ledger_ = std::move(*ledger);
    executor_ = std::make_unique<promotion::executor>(
        home::parts{*pipelines_, *secrets_, *ledger_},
        clock_,
        metrics_,
        config::executor_options(settings_, config::process_variable)
    );
    awake_ = executor_.get();
    return {};
}

outcome server_process::open_listeners() {
    const bool any_https =
        std::any_of(settings_.listen.begin(), settings_.listen.end(), [](const std::string& url) {
            return url.starts_with("https://");
        });
    if (any_https) {
        auto opened = certificates::open(settings_, clock_, metrics_);
        if (!opened) return opened.error();
        certificates_ = std::move(*opened);
    }
    event_server_ = std::make_unique<server::http_server>(
        settings_.limits, config::network_threads(settings_), metrics_
    );
    for (const auto& url : settings_.listen) {
        const auto taken = event_server_->listen(
            url, *event_routes_, certificates_ ? &certificates_->context() : nullptr
        );
        if (!taken) return taken.error();
        urls_.push_back(*taken);
    }
    // A server of its own: probes and people are answered whatever strangers do to the other one.
    admin_server_ =
        std::make_unique<server::http_server>(admin_limits(settings_.limits), 1, metrics_);
    const auto admin = admin_server_->listen("http://" + settings_.admin, *admin_routes_);
    if (!admin) return admin.error();
    urls_.push_back(*admin);
    const auto control = std::filesystem::absolute(state_->path() / "control.sock");
    const auto opened = admin_server_->listen("unix:" + control.string(), *control_routes_);
    if (!opened) return opened.error();
    // All addresses are ours, and no request can come before the executor is there.
    executor_->start();
    event_server_->start();
    admin_server_->start();
    serving_ = true;
    return {};
}

home::part_health server_process::loops_health() const {
    const auto silent = event_server_->silent_for();
    if (silent < loop_is_wedged_after) return {"loops", true, ""};
    return {
        "loops",
        false,
        fmt::format("a network thread hangs since {} ms; restart the process", silent.count()),
        /*serving=*/false
    };
}

home::part_health server_process::writer_health() const {
    if (!ledger_->wedged()) return {"ledger", true, ""};
    return {"ledger", false, ledger_->health().message, /*serving=*/false};
}

home::part_health server_process::executor_alive() const {
    if (!executor_->wedged()) return {"executor", true, ""};
    return {"executor", false, executor_->health().message, /*serving=*/false};
}

void server_process::wake_executor() noexcept {
    if (auto* executor = awake_.load()) executor->wake();
}

void server_process::read_again() noexcept {
    pipelines_->read_again();
    secrets_->read_again();
    if (certificates_) certificates_->read_again();
}

bool server_process::finish(std::chrono::milliseconds grace) {
    serving_ = false;
    const auto until = std::chrono::steady_clock::now() + grace;
    bool finished = event_server_->stop(grace);
    finished = admin_server_->stop(admin_grace) && finished;
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(
        until - std::chrono::steady_clock::now()
    );
    executor_->stop(std::max(left, 0ms));
    return finished;
}

server_process::~server_process() {
    if (serving_) (void)finish(std::chrono::milliseconds{0});
    // These answer into the loops of the servers and of the executor, and wake it, so they end before those do.
    ledger_.reset();
    secrets_.reset();
    pipelines_.reset();
    executor_.reset();
}

} // namespace sluice::cli
