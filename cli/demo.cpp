#include "cli/commands.hpp"
#include "cli/demo_folder.hpp"
#include "cli/demo_story.hpp"
#include "cli/listen_file.hpp"
#include "cli/server_process.hpp"
#include "cli/signals.hpp"
#include "observe/log.hpp"

#include <unistd.h>

namespace sluice::cli {
namespace {

using namespace std::chrono_literals;

config::settings settings_of(const demo_folder& folder) {
    config::settings s;
    s.pipelines = folder.pipelines();
    s.secrets = folder.secrets();
    s.state = folder.state();
    s.local_repositories = folder.path();
    s.listen = {"https://127.0.0.1:0"};
    s.admin = "127.0.0.1:0";
    s.threads = 1;
    s.promotion.poll = 1s; // no forge tells of a merge here
    s.shutdown.drain_grace = 5s;
    return s;
}

int refuse(console& c, const error& e) {
    c.err << "sluice demo: " << e.message << '\n';
    return failed;
}

int serve_and_tell(const demo_folder& folder, bool stay, signals& received, console& c) {
    const auto settings = settings_of(folder);
    auto process = server_process::start(settings);
    if (!process) return refuse(c, process.error());
    const auto addresses = listen_file::write(settings.state, (*process)->urls());
    if (!addresses) return refuse(c, addresses.error());

    demo_story story{folder, (*process)->urls().front(), c.out};
    if (const auto told = story.tell(); !told) return refuse(c, told.error());
    if (stay) {
        story.tell_how_to_go_on();
        received.wait_for_stop(); // a hangup too: its terminal is gone
    } else {
        story.tell_the_end();
    }
    (*process)->announce_stop();
    (void)(*process)->finish(settings.shutdown.drain_grace);
    return done;
}

// In a terminal it keeps serving; elsewhere it ends when the story is told.
int demo(console& c) {
    signals received; // before the first thread
    log::start(log::format::text, log::level::error);
    const auto folder = demo_folder::make();
    const int code = folder ? serve_and_tell(*folder, ::isatty(STDOUT_FILENO) == 1, received, c)
                            : refuse(c, folder.error());
    log::stop();
    return code;
}

} // namespace

void add_demo(CLI::App& app, command& chosen) {
    auto* sub = app.add_subcommand(
        "demo", "Show it all on this machine: a pipeline, a repository, a signed event, a promotion"
    );
    sub->callback([&chosen] { chosen = demo; });
}

} // namespace sluice::cli
