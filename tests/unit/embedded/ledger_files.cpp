#include "embedded/ledger_reader.hpp"
#include "embedded/ledger_schema.hpp"
#include "tests/home/ledger_events.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"

#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iterator>

namespace sluice::tests {
namespace {

using embedded::ledger_reader;
using embedded::state_folder;
using embedded::sqlite::access;
using embedded::sqlite::connection;

result<std::unique_ptr<embedded::sqlite_ledger>>
open_at(const std::filesystem::path& database, observe::registry& metrics) {
    static const system_clock clock;
    return embedded::sqlite_ledger::open(database, {}, clock, metrics, [](const std::string&) {});
}

TEST_CASE("a new state folder is made for its owner only", "[ledger]") {
    const scratch_folder scratch;
    const auto folder = state_folder::lock(scratch.path / "deep" / "state");
    REQUIRE(folder.has_value());
    struct stat info{};
    REQUIRE(::stat(folder->path().c_str(), &info) == 0);
    CHECK((info.st_mode & 0777) == 0700);
}

TEST_CASE(
    "a second process is told who holds the state folder, and may have it afterwards", "[ledger]"
) {
    const scratch_folder scratch;
    int ready[2];
    REQUIRE(::pipe(ready) == 0);
    const auto pid = ::fork();
    REQUIRE(pid >= 0);
    if (pid == 0) {
        const auto held = state_folder::lock(scratch.path);
        const char yes = held.has_value() ? 'y' : 'n';
        if (::write(ready[1], &yes, 1) == 1) ::pause();
        ::_exit(0);
    }
    char answer = 0;
    REQUIRE(::read(ready[0], &answer, 1) == 1);
    REQUIRE(answer == 'y');
    const auto refused = state_folder::lock(scratch.path);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, 0);
    ::close(ready[0]);
    ::close(ready[1]);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == errc::conflict);
    CHECK_THAT(refused.error().message, Catch::Contains("process " + std::to_string(pid)));
    CHECK(state_folder::lock(scratch.path).has_value());
}

TEST_CASE("a state folder that cannot be made is an error with its path", "[ledger]") {
    const auto refused = state_folder::lock("/proc/sluice/state");
    REQUIRE(refused.has_error());
    CHECK_THAT(refused.error().message, Catch::Contains("/proc/sluice/state"));
}

TEST_CASE("a ledger of the first release is brought up and loses nothing", "[ledger]") {
    const scratch_folder scratch;
    const auto database = scratch.path / "sluice.db";
    {
        std::ifstream file{source_tree() / "tests/fixtures/ledger/schema-1.sql"};
        const std::string sql{std::istreambuf_iterator<char>{file}, {}};
        REQUIRE_FALSE(sql.empty());
        connection db{database.string(), access::read_write};
        db.execute(sql.c_str());
    }
    CHECK(
        ledger_reader::open(database).error().code == errc::conflict
    ); // only a server brings it up
    ledger_on_disk home{{}, database};
    for (int round = 0; round < 2; ++round, home.restart()) {
        const auto alive = get(home.ledger().live());
        REQUIRE(alive.value().size() == 1);
        CHECK(alive->at(0).id.text() == "default/podinfo/prod@1.1.0");
        CHECK(alive->at(0).facts.app_version == "6.1");
        CHECK(alive->at(0).work == pipeline::promotion_work{});
        CHECK(alive->at(0).url.empty());
        const auto older = get(home.ledger().show("default/podinfo/prod@1.0.0"));
        REQUIRE(older.has_value());
        CHECK(older->history.size() == 2);
        const auto records = get(home.ledger().records(podinfo));
        CHECK(records->at("dev").current->revision == "1.1.0");
        CHECK(records->at("dev").slots.at("podinfo").verdict == pipeline::verdict::healthy);
        CHECK(records->at("prod").attempts.size() == 1);
    }
    const pipeline::promotion_id id{podinfo, "prod", "1.1.0"};
    pipeline::promotion_work work;
    work.commit = "c0ffee";
    const auto note = [&](const pipeline::pipeline_records&) {
        pipeline::decision d;
        d.changes.emplace_back(pipeline::set_work{id, work});
        return d;
    };
    REQUIRE(get(home.ledger().change(podinfo, "executor", note)).has_value());
    CHECK(get(home.ledger().show(id.text()))->promotion.work == work);

    // What came before the upgrade stays before what comes after it.
    pipeline::promotion again;
    again.id = {podinfo, "prod", "1.0.0"};
    const auto reopen = [&](const pipeline::pipeline_records&) {
        pipeline::decision d;
        d.changes.emplace_back(pipeline::open_promotion{again});
        return d;
    };
    REQUIRE(get(home.ledger().change(podinfo, "somebody", reopen)).has_value());
    const auto reopened = get(home.ledger().show(again.id.text()));
    REQUIRE(reopened->history.size() == 3);
    CHECK(reopened->history[0].state == "AwaitingApproval");
    CHECK(reopened->history[1].state == "Superseded");
    CHECK(reopened->history[2].state == "Pending");
}

TEST_CASE("a ledger of a newer program is refused and left alone", "[ledger]") {
    const scratch_folder scratch;
    const auto database = scratch.path / "sluice.db";
    observe::registry metrics;
    REQUIRE(open_at(database, metrics).has_value());
    {
        connection db{database.string(), access::read_write};
        db.execute("PRAGMA user_version = 999");
    }
    const auto refused = open_at(database, metrics);
    REQUIRE(refused.has_error());
    CHECK(refused.error().code == errc::conflict);
    CHECK_THAT(refused.error().message, Catch::Contains("schema 999"));
    CHECK(ledger_reader::open(database).error().code == errc::conflict);
    connection db{database.string(), access::read_only};
    CHECK(db.integer("PRAGMA user_version") == 999);
}

TEST_CASE("a database of another program is refused", "[ledger]") {
    const scratch_folder scratch;
    const auto database = scratch.path / "sluice.db";
    {
        connection db{database.string(), access::read_write};
        db.execute("CREATE TABLE theirs (x)");
    }
    observe::registry metrics;
    CHECK(open_at(database, metrics).error().code == errc::conflict);
}

TEST_CASE("what is not a database is refused with its path", "[ledger]") {
    const scratch_folder scratch;
    const auto database = scratch.path / "sluice.db";
    std::FILE* file = std::fopen(database.c_str(), "w");
    REQUIRE(file != nullptr);
    std::fputs(std::string(5'000, 'x').c_str(), file);
    std::fclose(file);
    observe::registry metrics;
    CHECK(open_at(database, metrics).has_error());
}

TEST_CASE("a ledger is read beside its server and without one", "[ledger]") {
    ledger_on_disk home;
    const auto s = healthy("1.0.0", 1, home.clock.now());
    REQUIRE(get(home.ledger().accept(s, park(s))).has_value());
    {
        const auto beside = ledger_reader::open(home.database());
        REQUIRE(beside.has_value());
        CHECK((*beside)->list({})->size() == 1);
    }
    home.close();
    const auto alone = ledger_reader::open(home.database());
    REQUIRE(alone.has_value());
    CHECK((*alone)->list({})->size() == 1);
    CHECK((*alone)->show("default/podinfo/prod@1.0.0")->history.size() == 1);
}

TEST_CASE("reading where no ledger is says so", "[ledger]") {
    const scratch_folder scratch;
    const auto none = ledger_reader::open(scratch.path / "sluice.db");
    REQUIRE(none.has_error());
    CHECK(none.error().code == errc::not_found);
}

} // namespace
} // namespace sluice::tests
