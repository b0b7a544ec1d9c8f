#include "tests/home/ledger_events.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/embedded/held_request.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"
#include "tests/unit/embedded/simulated_disk.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>

namespace sluice::tests {
namespace {

embedded::ledger_options on(const simulated_disk& disk) {
    embedded::ledger_options options;
    options.vfs = disk.name();
    return options;
}

result<home::acceptance> send(ledger_on_disk& home, std::uint64_t number) {
    const auto s = healthy("1.0." + std::to_string(number), number, home.clock.now());
    return get(home.ledger().accept(s, park(s)));
}

void is_told_to_come_back(const result<home::acceptance>& answer) {
    REQUIRE(answer.has_error());
    CHECK(answer.error().code == errc::unavailable);
    REQUIRE(answer.error().retry_after);
    CHECK(*answer.error().retry_after <= std::chrono::seconds{2});
}

TEST_CASE(
    "after a failed fsync nothing is acknowledged, and a new start finds all that was", "[ledger]"
) {
    simulated_disk disk{"broken", 1};
    {
        ledger_on_disk home{on(disk), "/state/sluice.db"};
        REQUIRE(send(home, 1).has_value());
        disk.fail_syncs(true);
        is_told_to_come_back(send(home, 2));
        CHECK(home.fatal_calls == 1);
        disk.fail_syncs(false);
        is_told_to_come_back(send(home, 3));
        CHECK(home.fatal_calls == 1);
        CHECK_FALSE(home.ledger().health().ok);
    }
    ledger_on_disk home{on(disk), "/state/sluice.db"};
    CHECK(home.ledger().recall(podinfo, digest_of(1)));
    CHECK(send(home, 4).has_value());
}

TEST_CASE(
    "what is accepted after a failed fsync and a new start survives a power cut", "[ledger]"
) {
    for (std::uint64_t seed = 0; seed < 8; ++seed) {
        CAPTURE(seed);
        simulated_disk disk{"hole", seed};
        {
            ledger_on_disk home{on(disk), "/state/sluice.db"};
            REQUIRE(send(home, 1).has_value());
            disk.fail_syncs(true);
            is_told_to_come_back(send(home, 2));
            disk.fail_syncs(false);
        }
        {
            ledger_on_disk home{on(disk), "/state/sluice.db"};
            REQUIRE(send(home, 3).has_value());
            disk.cut_after(1);
        }
        disk.power_up();
        ledger_on_disk home{on(disk), "/state/sluice.db"};
        CHECK(home.ledger().recall(podinfo, digest_of(1)));
        CHECK(home.ledger().recall(podinfo, digest_of(3)));
    }
}

TEST_CASE("a start does not go on beside a reader who keeps the old log open", "[ledger]") {
    ledger_on_disk home;
    REQUIRE(send(home, 1).has_value());
    embedded::sqlite::connection reader{
        home.database().string(), embedded::sqlite::access::read_only
    };
    reader.execute("BEGIN");
    CHECK(reader.integer("SELECT count(*) FROM observations") == 1);
    home.options.settle_within = std::chrono::milliseconds{0};
    CHECK_THROWS_WITH(home.restart(), Catch::Contains("end what has the file open"));
    reader.execute("COMMIT");
    home.restart();
    CHECK(home.ledger().recall(podinfo, digest_of(1)));
}

TEST_CASE("when the copied log cannot be synced nothing more is acknowledged", "[ledger]") {
    simulated_disk disk{"half-broken", 1};
    auto options = on(disk);
    options.checkpoint_after = 60'000;
    ledger_on_disk home{options, "/state/sluice.db"};
    disk.fail_database(true);
    for (std::uint64_t i = 0; home.fatal_calls == 0 && i < 1'000; ++i) (void)send(home, i);
    REQUIRE(eventually([&] { return home.fatal_calls == 1; }));
    disk.fail_database(false);
    is_told_to_come_back(send(home, 1'001));
    CHECK_FALSE(home.ledger().health().ok);
}

TEST_CASE("no answer waits for a checkpoint that hangs in the disk", "[ledger]") {
    simulated_disk disk{"slow-copy", 1};
    auto options = on(disk);
    options.checkpoint_after = 60'000;
    ledger_on_disk home{options, "/state/sluice.db"};
    disk.hang_database(true);
    std::uint64_t sent = 0;
    while (!disk.database_hangs() && sent < 1'000) REQUIRE(send(home, sent++).has_value());
    REQUIRE(eventually([&] { return disk.database_hangs(); }));
    for (int i = 0; i < 50; ++i) CHECK(send(home, sent++).has_value());
    CHECK(home.ledger().health().ok);
    disk.hang_database(false);
    CHECK(get(home.ledger().list({}))->size() == sent);
}

TEST_CASE("a full disk refuses events for now and the ledger recovers by itself", "[ledger]") {
    simulated_disk disk{"full", 1};
    ledger_on_disk home{on(disk), "/state/sluice.db"};
    REQUIRE(send(home, 1).has_value());
    disk.limit_bytes(0);
    is_told_to_come_back(send(home, 2));
    is_told_to_come_back(send(home, 3));
    CHECK_FALSE(home.ledger().health().ok);
    CHECK_FALSE(home.ledger().wedged());
    CHECK(get(home.ledger().list({}))->size() == 1);
    disk.limit_bytes(std::nullopt);
    CHECK(eventually([&] { return home.ledger().health().ok; })); // though nobody writes
    CHECK(send(home, 2).has_value());
    CHECK(home.fatal_calls == 0);
    CHECK(get(home.ledger().list({}))->size() == 2);
    CHECK(get(home.ledger().records(podinfo))->at("prod").attempts.size() == 1);
}

TEST_CASE("when too many wait the next is refused at once", "[ledger]") {
    embedded::ledger_options options;
    options.queue_limit = 2;
    boost::asio::io_context held_loop;
    boost::asio::io_context loop;
    ledger_on_disk home{options};
    held_request first{held_loop, home.ledger(), healthy("1.0.0", 1, home.clock.now())};
    std::vector<boost::asio::awaitable<result<home::acceptance>>> more;
    for (std::uint64_t i = 2; i < 5; ++i) {
        const auto s = healthy("1.0." + std::to_string(i), i, home.clock.now());
        more.push_back(home.ledger().accept(s, park(s)));
    }
    int refused = 0;
    int accepted = 0;
    for (auto& m : more) {
        boost::asio::co_spawn(loop, std::move(m), [&](auto, const auto& answer) {
            ++(answer.has_value() ? accepted : refused);
            if (refused == 1 && accepted == 0) {
                is_told_to_come_back(answer);
                first.let_go();
            }
        });
    }
    loop.run_for(patience);
    CHECK(refused == 1);
    CHECK(accepted == 2);
    CHECK(first.done.get_future().get().has_value());
}

TEST_CASE(
    "who waits too long is told to try again, and what is stored later is recalled", "[ledger]"
) {
    embedded::ledger_options options;
    options.slow_after = std::chrono::milliseconds{50};
    options.wedged_after = std::chrono::milliseconds{50};
    boost::asio::io_context held_loop;
    ledger_on_disk home{options};
    const auto s = healthy("1.0.0", 1, home.clock.now());
    held_request slow{held_loop, home.ledger(), s};
    is_told_to_come_back(slow.done.get_future().get());
    is_told_to_come_back(send(home, 2));
    CHECK(home.ledger().wedged());
    CHECK_FALSE(home.ledger().health().ok);
    slow.let_go();
    home.restart(); // writes what it holds before it closes
    CHECK(home.ledger().recall(podinfo, s.digest));
    CHECK(send(home, 1)->what == pipeline::verdict_on_event::await_approval);
    CHECK(get(home.ledger().list({}))->size() == 1);
}

TEST_CASE("a writer that hangs in the disk while it trims is not healthy", "[ledger]") {
    simulated_disk disk{"hanging", 1};
    auto options = on(disk);
    options.retention.every = std::chrono::hours{1};
    options.retention.observations_at_most = 0;
    options.retention.step = 1; // many steps, so that one comes after the disk hangs
    ledger_on_disk home{options, "/state/sluice.db"};
    for (std::uint64_t i = 1; i < 300; ++i) REQUIRE(send(home, i).has_value());
    home.options.retention.every = std::chrono::milliseconds{10};
    home.options.slow_after = std::chrono::milliseconds{500};
    home.options.wedged_after = std::chrono::milliseconds{500};
    home.restart();
    disk.hang_syncs(true);
    CHECK(eventually([&] { return home.ledger().wedged(); }));
    CHECK_FALSE(home.ledger().health().ok);
    is_told_to_come_back(send(home, 300));
    disk.hang_syncs(false);
    CHECK(eventually([&] { return home.ledger().health().ok; }));
    CHECK(send(home, 300).has_value());
}

TEST_CASE("a loop that is stopped while an event is stored is left in peace", "[ledger]") {
    boost::asio::io_context loop;
    bool told = false;
    {
        ledger_on_disk home;
        gate g;
        const auto s = healthy("1.0.0", 1, home.clock.now());
        boost::asio::co_spawn(loop, home.ledger().accept(s, g.holding(park(s))), [&](auto, auto) {
            told = true;
        });
        std::thread thread{[&] { loop.run(); }};
        g.entered.get_future().wait();
        loop.stop();
        thread.join();
        g.open.set_value();
        home.restart();
        CHECK(home.ledger().recall(podinfo, s.digest));
    }
    CHECK_FALSE(told);
}

TEST_CASE("a log that has grown past its limit starts again from its beginning", "[ledger]") {
    embedded::ledger_options options;
    options.checkpoint_after = 100'000;
    options.wal_limit = 300'000;
    ledger_on_disk home{options};
    for (std::uint64_t i = 0; i < 400; ++i) REQUIRE(send(home, i).has_value());
    auto wal = home.database();
    wal += "-wal";
    CHECK(std::filesystem::file_size(wal) < 1'000'000); // 400 commits write several megabytes
    CHECK(get(home.ledger().list({}))->size() == 400);
}

} // namespace
} // namespace sluice::tests
