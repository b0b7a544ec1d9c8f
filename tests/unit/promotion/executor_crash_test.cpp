#include "promotion/failpoints.hpp"
#include "tests/unit/promotion/executor_fixture.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

using namespace sluice;
using namespace sluice::tests;

namespace {

#ifdef SLUICE_WITH_FAILPOINTS

const std::string first = "default/podinfo/staging@1.1.0";

// In a child process, because a failpoint kills the process it is in.
bool killed_at(std::string_view point, const executor_world& w) {
    const auto self = std::filesystem::read_symlink("/proc/self/exe").string();
    const auto points = fmt::format("{}=kill", point);
    const auto database = (w.folder / "sluice.db").string();
    const auto child = ::fork();
    if (child == 0) {
        ::setenv("SLUICE_FAILPOINTS", points.c_str(), 1);
        ::setenv("SLUICE_TEST_DATABASE", database.c_str(), 1);
        ::setenv("SLUICE_TEST_ORIGIN", w.origin.url().c_str(), 1);
        ::execl(self.c_str(), self.c_str(), "the child of the crash tests", nullptr);
        ::_exit(127);
    }
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

#endif

} // namespace

#ifdef SLUICE_WITH_FAILPOINTS

TEST_CASE("the child of the crash tests", "[.]") {
    const char* database = ::getenv("SLUICE_TEST_DATABASE");
    const char* origin = ::getenv("SLUICE_TEST_ORIGIN");
    REQUIRE(database != nullptr);
    REQUIRE(origin != nullptr);
    const std::filesystem::path folder = std::filesystem::path{database}.parent_path();
    system_clock clock;
    observe::registry metrics;
    written_pipelines pipelines;
    written_secrets secrets;
    pipeline::pull_request_strategy how;
    how.url = origin;
    how.base_branch = "main";
    pipeline::strategy s;
    s.how = how;
    pipelines.set(three_environments("podinfo", s));
    auto ledger =
        embedded::sqlite_ledger::open(database, {}, clock, metrics, [](const std::string&) {
            std::terminate();
        });
    REQUIRE(ledger.has_value());
    promotion::executor_options o;
    o.caches = folder / "git";
    o.local_repositories = folder;
    o.author = sluice_author;
    promotion::executor executor{{pipelines, secrets, **ledger}, clock, metrics, o};
    executor.start();
    // A failpoint that is never reached ends the child by itself, which the parent notices.
    CHECK(eventually([&] {
        const auto shown = get((*ledger)->show(first));
        return shown && shown->promotion.state == promotion_state::pull_request_open;
    }));
}

TEST_CASE("killed at any step, the next start finishes it with one commit and one branch") {
    // Those of forge and notification are reached by the black-box tests.
    const auto is_here = [](std::string_view point) {
        return !point.ends_with("_open") && !point.ends_with("_notify");
    };
    for (const auto point : promotion::executor_failpoints) {
        if (!is_here(point)) continue;
        CAPTURE(point);
        executor_world w;
        w.set_up();
        w.prove("1.1.0");
        w.close_ledger();
        CHECK(killed_at(point, w));
        w.open_ledger_again();
        w.start();
        const auto p = w.reach(first, promotion_state::pull_request_open);
        CHECK(w.origin.tip(into_staging) == p.work.commit);
        CHECK(w.origin.remote_git("rev-list --count main.." + into_staging) == "1");
        CHECK(w.origin.remote_git("for-each-ref --format=x refs/heads") == "x\nx");
    }
}

#endif

TEST_CASE("stopping in the moment something happened does not wait for the next look") {
    executor_world w;
    w.set_up();
    const auto begun = std::chrono::steady_clock::now();
    for (int round = 0; round < 40; ++round) {
        const auto executor = w.start_another("git");
        executor->wake();
        std::this_thread::sleep_for(std::chrono::microseconds{50 * round});
    }
    // Each would take five seconds: more than three minutes in all.
    CHECK(std::chrono::steady_clock::now() - begun < std::chrono::minutes{1});
}

TEST_CASE("two executors on one ledger carry each promotion out once") {
    executor_world w;
    w.set_up();
    w.options.poll_every = std::chrono::hours{1};
    for (int round = 0; round < 10; ++round) {
        const auto version = fmt::format("1.{}.0", round + 1);
        w.prove(version);
        auto one = w.start_another("one");
        auto two = w.start_another("two");
        one->wake();
        two->wake();
        const auto id = fmt::format("default/podinfo/staging@{}", version);
        const auto p = w.reach(id, promotion_state::pull_request_open);
        one.reset();
        two.reset();
        const auto settled = w.shown(id);
        CHECK(w.origin.tip(into_staging) == settled.work.commit);
        CHECK(w.origin.remote_git("rev-list --count main.." + into_staging) == "1");
        CHECK(settled.state == promotion_state::pull_request_open);
    }
}
