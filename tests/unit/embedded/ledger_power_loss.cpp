#include "tests/home/ledger_events.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"
#include "tests/unit/embedded/simulated_disk.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

#include <cstdlib>
#include <map>
#include <random>

namespace sluice::tests {
namespace {

using embedded::sqlite::access;
using embedded::sqlite::connection;
using embedded::sqlite::statement;

embedded::ledger_options on(const simulated_disk& disk) {
    embedded::ledger_options options;
    options.vfs = disk.name();
    options.checkpoint_after =
        60'000; // so that checkpoints and a new start of the log are among the cut points
    options.wal_limit = 150'000;
    options.enough = 2; // so that few events share a commit, and none waits long for others
    return options;
}

using acknowledged = std::map<std::uint64_t, std::string>; // number of the event, its promotion

boost::asio::awaitable<void> send_until_the_power_goes(
    home::ledger& ledger, std::uint64_t number, time_point now, acknowledged& told
) {
    for (bool on = true; on; ++number) {
        const pipeline::object_name name{"default", "p" + std::to_string(number % 5)};
        auto s = healthy("1.0." + std::to_string(number), number, now, name);
        auto decide = park(s);
        auto answer = co_await ledger.accept(std::move(s), std::move(decide));
        on = answer.has_value();
        if (on) told.emplace(number, answer->promotion);
    }
}

// Eight senders at once, each waiting for its answers, until the power goes.
acknowledged fill(const simulated_disk& disk) {
    acknowledged told;
    try {
        boost::asio::io_context
            loop; // outlives the ledger, whose thread may still be inside post()
        ledger_on_disk home{on(disk), "/state/sluice.db"};
        for (std::uint64_t sender = 0; sender < 8; ++sender) {
            boost::asio::co_spawn(
                loop,
                send_until_the_power_goes(home.ledger(), sender << 32, home.clock.now(), told),
                boost::asio::detached
            );
        }
        loop.run_for(patience);
    } catch (const std::exception&) {
        // It went while the ledger was being opened.
        if (!disk.is_cut()) throw;
    }
    return told;
}

void all_is_there_once(const simulated_disk& disk, const acknowledged& told) {
    ledger_on_disk home{on(disk), "/state/sluice.db"};
    connection db{"/state/sluice.db", access::read_only, disk.name()};
    statement check{db, "PRAGMA integrity_check"};
    auto verdict = check.query();
    REQUIRE(verdict.next());
    REQUIRE(verdict.string(0) == "ok");
    statement count{db, "SELECT count(*) FROM observations WHERE digest = ? AND promotion = ?"};
    statement opened{db, "SELECT count(*) FROM promotions WHERE revision = ?"};
    for (const auto& [number, promotion] : told) {
        const auto digest = digest_of(number);
        auto row = count.query(embedded::sqlite::blob{digest}, promotion);
        REQUIRE(row.next());
        REQUIRE(row.integer(0) == 1);
        const auto revision = "1.0." + std::to_string(number);
        auto promotions = opened.query(revision);
        REQUIRE(promotions.next());
        REQUIRE(promotions.integer(0) == 1);
    }
    // An event and the slot it filled are of one transaction.
    REQUIRE(
        db.integer(
            "SELECT count(*) FROM slots WHERE revision <> (SELECT revision FROM observations "
            "WHERE environment = slots.environment ORDER BY id DESC LIMIT 1)"
        ) == 0
    );
    REQUIRE(
        db.integer("SELECT count(*) FROM slots") ==
        db.integer("SELECT count(DISTINCT environment) FROM observations")
    );
    const auto next = healthy("2.0.0", 1'000'000, home.clock.now());
    REQUIRE(get(home.ledger().accept(next, park(next))).has_value());
}

TEST_CASE("every acknowledged event is there exactly once after any power cut", "[ledger]") {
    // SLUICE_SEED repeats a failed run.
    const char* given = std::getenv("SLUICE_SEED");
    const std::uint64_t base =
        given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
    const int rounds = given != nullptr ? 1 : 1'000;
    std::size_t acknowledged_in_all = 0;
    for (int round = 0; round < rounds; ++round) {
        const auto seed = base + static_cast<std::uint64_t>(round);
        CAPTURE(seed);
        simulated_disk disk{"power-loss", seed};
        std::mt19937_64 chance{seed};
        disk.cut_after(static_cast<int>(chance() % 600) + 1);
        const auto told = fill(disk);
        REQUIRE(disk.is_cut());
        acknowledged_in_all += told.size();
        disk.power_up();
        all_is_there_once(disk, told);
    }
    CHECK((rounds == 1 || acknowledged_in_all > 10'000));
}

} // namespace
} // namespace sluice::tests
