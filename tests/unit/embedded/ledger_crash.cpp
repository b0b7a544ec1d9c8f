#include "tests/home/ledger_events.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <set>

namespace sluice::tests {
namespace {

boost::asio::awaitable<void>
send_and_tell(home::ledger& ledger, std::uint64_t first, std::uint64_t count, time_point now) {
    for (std::uint64_t i = first; i < first + count; ++i) {
        auto s =
            healthy("1.0." + std::to_string(i), i, now, {"default", "p" + std::to_string(i % 7)});
        auto decide = park(s);
        auto answer = co_await ledger.accept(std::move(s), std::move(decide));
        if (answer.has_value() && ::write(STDOUT_FILENO, &i, sizeof i) != sizeof i) co_return;
    }
}

// Not a test by itself: the process that the tests below kill. It tells each acknowledged number on its output.
TEST_CASE("a process that fills a ledger until it is killed", "[.ledger-child]") {
    const char* database = std::getenv("SLUICE_TEST_DATABASE");
    const char* count = std::getenv("SLUICE_TEST_COUNT");
    REQUIRE(database != nullptr);
    REQUIRE(count != nullptr);
    boost::asio::io_context loop;
    ledger_on_disk home{{}, database};
    for (std::uint64_t sender = 0; sender < 16; ++sender) {
        boost::asio::co_spawn(
            loop,
            send_and_tell(
                home.ledger(), sender << 32, std::strtoull(count, nullptr, 10), home.clock.now()
            ),
            boost::asio::detached
        );
    }
    loop.run();
}

struct child {
    child(const std::filesystem::path& database, const char* count, const char* failpoints) {
        int ends[2];
        REQUIRE(::pipe(ends) == 0);
        const unique_fd write_end{ends[1]};
        output = unique_fd{ends[0]};
        pid = ::fork();
        REQUIRE(pid >= 0);
        if (pid == 0) {
            ::dup2(ends[1], STDOUT_FILENO);
            ::close(ends[0]);
            ::setenv("SLUICE_TEST_DATABASE", database.c_str(), 1);
            ::setenv("SLUICE_TEST_COUNT", count, 1);
            ::setenv("SLUICE_FAILPOINTS", failpoints, 1);
            ::execl(
                "/proc/self/exe", "unit_embedded", "[.ledger-child]", "-o", "/dev/null", nullptr
            );
            ::_exit(127);
        }
    }
    // Numbers acknowledged, up to `most` or until the process ends.
    std::set<std::uint64_t> told(std::size_t most) const {
        std::set<std::uint64_t> numbers;
        std::uint64_t number = 0;
        while (numbers.size() < most &&
               ::read(output.get(), &number, sizeof number) == sizeof number) {
            numbers.insert(number);
        }
        return numbers;
    }
    [[nodiscard]] int wait() const {
        int status = 0;
        ::waitpid(pid, &status, 0);
        return status;
    }

    pid_t pid = -1;
    unique_fd output;
};

std::size_t rows_of(const std::filesystem::path& database, const std::set<std::uint64_t>& numbers) {
    embedded::sqlite::connection db{database.string(), embedded::sqlite::access::read_only};
    CHECK(
        db.integer("SELECT count(*) FROM (SELECT digest FROM observations GROUP BY digest HAVING "
                   "count(*) > 1)") == 0
    );
    embedded::sqlite::statement find{db, "SELECT 1 FROM observations WHERE digest = ?"};
    std::size_t found = 0;
    for (const auto number : numbers) {
        const auto digest = digest_of(number);
        found += find.query(embedded::sqlite::blob{digest}).next() ? 1U : 0U;
    }
    return found;
}

bool was_killed(int status) {
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

TEST_CASE("every event acknowledged before kill -9 is there exactly once", "[ledger]") {
    const scratch_folder folder;
    std::size_t acknowledged = 0;
    for (const std::size_t moment : {1U, 50U, 333U}) {
        const auto at = folder.path / (std::to_string(moment) + ".db");
        const child process{at, "1000000", ""};
        auto numbers = process.told(moment);
        ::kill(process.pid, SIGKILL);
        numbers.merge(process.told(1'000'000));
        REQUIRE(was_killed(process.wait()));
        acknowledged += numbers.size();
        const ledger_on_disk home{{}, at};
        CHECK(rows_of(at, numbers) == numbers.size());
    }
    CHECK(acknowledged >= 384);
}

#ifdef SLUICE_WITH_FAILPOINTS
TEST_CASE("killed before the commit nothing was acknowledged, and the ledger opens", "[ledger]") {
    const scratch_folder folder;
    const auto database = folder.path / "sluice.db";
    const child process{database, "10", "ledger.before_commit=kill"};
    CHECK(process.told(1'000).empty());
    REQUIRE(was_killed(process.wait()));
    ledger_on_disk home{{}, database};
    CHECK(get(home.ledger().list({}))->empty());
}

TEST_CASE(
    "killed after the commit the event is there, and its repetition gets its answer", "[ledger]"
) {
    const scratch_folder folder;
    const auto database = folder.path / "sluice.db";
    const child process{database, "1", "ledger.after_commit=kill"};
    CHECK(process.told(1'000).empty());
    REQUIRE(was_killed(process.wait()));
    ledger_on_disk home{{}, database};
    const auto stored = get(home.ledger().list({}))->size();
    REQUIRE(stored >= 1);
    // The first batch holds the first sender's event, whatever else.
    const auto s = healthy("1.0.0", 0, home.clock.now(), {"default", "p0"});
    const auto again = get(home.ledger().accept(s, park(s)));
    REQUIRE(again.has_value());
    CHECK(again->what == pipeline::verdict_on_event::await_approval);
    CHECK(get(home.ledger().list({}))->size() == stored);
}
#endif

} // namespace
} // namespace sluice::tests
