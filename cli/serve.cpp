#include "cli/commands.hpp"
#include "cli/descriptors.hpp"
#include "cli/listen_file.hpp"
#include "cli/server_process.hpp"
#include "cli/signals.hpp"
#include "cli/version.hpp"
#include "config/consistency.hpp"
#include "config/flags.hpp"
#include "config/load.hpp"
#include "config/print.hpp"
#include "config/room_options.hpp"
#include "observe/log.hpp"

#include <cstdlib>
#include <memory>
#include <thread>

namespace sluice::cli {
namespace {

struct serve_options {
    std::string file;
    config::flag_map flags;
    bool print_config = false;
};

int refuse(console& c, const error& e) {
    c.err << "sluice serve: " << e.message << '\n';
    return failed;
}

void tell_doubts(const config::loaded& loaded) {
    for (const auto& warning : loaded.warnings) log::warn(warning);
    for (const auto& doubt : config::doubts(loaded.values)) log::warn(doubt);
    if (const auto raised = raise_descriptor_limit(config::open_files_needed(loaded.values));
        !raised) {
        log::warn(raised.error().message);
    }
}

int run_until_stopped(const config::settings& s, console& c, signals& received) {
    auto process = server_process::start(s);
    if (!process) return refuse(c, process.error());
    auto told = listen_file::write(s.state, (*process)->urls());
    if (!told) return refuse(c, told.error());
    for (const auto& url : (*process)->urls()) log::info("listening", {{"url", url}});

    received.wait_for_stop([&] {
        log::info("hangup: pipelines, secrets and certificates are read again");
        (*process)->read_again();
    });
    log::info("stopping; a second signal ends at once");
    (*process)->announce_stop();
    std::this_thread::sleep_for(s.shutdown.drain_delay);
    if (!(*process)->finish(s.shutdown.drain_grace)) {
        log::warn("requests were cut off: shutdown.drain-grace is too short for them");
    }
    log::info("stopped");
    return done;
}

int serve(const serve_options& o, console& c) {
    const auto loaded = config::load({o.file, config::process_environment(), o.flags});
    if (!loaded) {
        c.err << "sluice serve: the configuration is not usable:\n"
              << loaded.error().message << '\n';
        return failed;
    }
    if (o.print_config) {
        for (const auto& warning : loaded->warnings) c.err << "warning: " << warning << '\n';
        c.out << config::print(*loaded);
        return done;
    }
    signals received; // before the first thread: log, loops and writer inherit the mask
    log::start(loaded->values.log.format, loaded->values.log.level);
    log::info("sluice starts", {{"version", version()}});
    tell_doubts(*loaded);
    const int code = run_until_stopped(loaded->values, c, received);
    log::stop();
    return code;
}

} // namespace

void add_serve(CLI::App& app, command& chosen) {
    auto* sub = app.add_subcommand("serve", "Take events and carry proven versions on");
    const auto o = std::make_shared<serve_options>();
    if (const char* file = std::getenv("SLUICE_CONFIG")) o->file = file;
    sub->add_option("--config", o->file, "YAML file of settings, also SLUICE_CONFIG");
    sub->add_flag(
        "--print-config",
        o->print_config,
        "print the effective settings and where each came from, and end"
    );
    config::add_flags(*sub, o->flags);
    sub->callback([o, &chosen] { chosen = [o](console& c) { return serve(*o, c); }; });
}

} // namespace sluice::cli
