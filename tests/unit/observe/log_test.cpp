#include "observe/log.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/observe/stderr_capture.hpp"

#include <nlohmann/json.hpp>

#include <set>
#include <thread>

using namespace sluice;

namespace {

// Leaves the log as another test expects to find it.
struct stopped_at_end {
    ~stopped_at_end() {
        log::stop();
        log::start(log::format::text, log::level::info);
        log::stop();
    }
};

} // namespace

TEST_CASE("before the log is started a line goes to stderr at once, as text") {
    const stopped_at_end restore;
    const log::stderr_capture captured;
    log::warn("the configuration cannot be read", {{"file", "sluice.yaml"}});
    const auto lines = captured.lines();
    REQUIRE(lines.size() == 1);
    CHECK(lines[0].ends_with("warn  the configuration cannot be read file=sluice.yaml"));
}

TEST_CASE(
    "once started, lines are written in the chosen format, all of them by the time it is stopped"
) {
    const stopped_at_end restore;
    const log::stderr_capture captured;
    log::start(log::format::json, log::level::info);
    for (int i = 0; i < 100; ++i) log::info("accepted", {{"n", i}});
    log::stop();
    const auto lines = captured.lines();
    REQUIRE(lines.size() == 100);
    for (int i = 0; i < 100; ++i)
        CHECK(nlohmann::json::parse(lines[static_cast<std::size_t>(i)])["n"] == i);
    CHECK(log::dropped() == 0);
}

TEST_CASE("lines below the chosen level are not written") {
    const stopped_at_end restore;
    const log::stderr_capture captured;
    log::start(log::format::text, log::level::warn);
    CHECK_FALSE(log::enabled(log::level::info));
    CHECK(log::enabled(log::level::error));
    log::debug("no");
    log::info("no");
    log::warn("yes");
    log::error("yes");
    log::stop();
    CHECK(captured.lines().size() == 2);
}

TEST_CASE("starting and stopping twice does no harm, and a stopped log still writes") {
    const stopped_at_end restore;
    const log::stderr_capture captured;
    log::start(log::format::text, log::level::info);
    log::start(log::format::json, log::level::debug);
    log::debug("one");
    log::stop();
    log::stop();
    log::info("two");
    const auto lines = captured.lines();
    REQUIRE(lines.size() == 2);
    CHECK(nlohmann::json::parse(lines[0])["msg"] == "one");
    CHECK(nlohmann::json::parse(lines[1])["msg"] == "two");
}

TEST_CASE("threads may log while the log is started and stopped") {
    const stopped_at_end restore;
    const log::stderr_capture captured;
    {
        std::vector<std::jthread> threads;
        for (int t = 0; t < 3; ++t) {
            threads.emplace_back([t] {
                for (int i = 0; i < 300; ++i) log::info("line", {{"id", t * 1000 + i}});
            });
        }
        for (int i = 0; i < 20; ++i) {
            log::start(log::format::json, log::level::info);
            log::stop();
        }
    }
    CHECK(captured.lines().size() == 900);
}
