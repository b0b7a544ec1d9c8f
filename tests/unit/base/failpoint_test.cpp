#include "base/failpoint.hpp"
#include "tests/support/catch.hpp"

#ifdef SLUICE_WITH_FAILPOINTS

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdlib>
#include <string>

using namespace sluice;
using namespace std::chrono_literals;

namespace {

// The settings are read once per process, so each case gets a process of its own. Returns its wait status.
int after_passing(
    const char* settings, const char* place, unsigned patience_seconds = 20, int times = 1
) {
    const pid_t child = ::fork();
    if (child == 0) {
        ::setenv("SLUICE_FAILPOINTS", settings, 1);
        std::signal(SIGABRT, SIG_DFL); // not the test program's own handler
        ::close(STDERR_FILENO);
        ::alarm(patience_seconds); // ends a child that blocks
        for (int i = 0; i < times; ++i) failpoint(place);
        ::_exit(7);
    }
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return status;
}

bool passed(int status) {
    return WIFEXITED(status) && WEXITSTATUS(status) == 7;
}

bool killed(int status) {
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

} // namespace

TEST_CASE("a process is killed at the named failpoint and nowhere else") {
    CHECK(killed(after_passing("ledger.before_commit=kill", "ledger.before_commit")));
    CHECK(passed(after_passing("ledger.before_commit=kill", "ledger.after_commit")));
    CHECK(passed(after_passing("", "ledger.before_commit")));
}

TEST_CASE("a process is killed when it passes a failpoint for the time that was named, not before"
) {
    const auto passing = [](int times) { return after_passing("a=kill:3", "a", 20, times); };
    CHECK(passed(passing(2)));
    CHECK(killed(passing(3)));
    CHECK(killed(passing(4)));
}

TEST_CASE("several failpoints are set at once, white space around them does not matter") {
    const auto* settings = " a = delay:1ms ;b=kill; ;c";
    CHECK(passed(after_passing(settings, "a")));
    CHECK(killed(after_passing(settings, "b")));
    CHECK(passed(after_passing(settings, "c")));
}

TEST_CASE("a delaying failpoint delays") {
    const auto before = std::chrono::steady_clock::now();
    CHECK(passed(after_passing("a=delay:200ms", "a")));
    CHECK(std::chrono::steady_clock::now() - before >= 200ms);
}

TEST_CASE("a misspelt action ends the process instead of letting a test pass for nothing") {
    for (const auto* settings :
         {"a=kil", "a=kill:", "a=kill:0", "a=kill:3x", "a=delay:soon", "a="}) {
        const auto status = after_passing(settings, "a");
        CAPTURE(settings);
        CHECK(WIFSIGNALED(status));
        CHECK(WTERMSIG(status) == SIGABRT);
    }
}

TEST_CASE("a blocking failpoint blocks until the process is ended") {
    const auto status = after_passing("a=block", "a", /*patience_seconds=*/1);
    CHECK(WIFSIGNALED(status));
    CHECK(WTERMSIG(status) == SIGALRM);
}

#endif
