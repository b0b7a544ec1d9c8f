#include "embedded/retention.hpp"
#include "tests/home/ledger_events.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"

namespace sluice::tests {
namespace {

using embedded::retention;
using embedded::sqlite::access;
using embedded::sqlite::connection;

// Ten revisions, the last of which waits for an approval, a minute apart.
struct filled {
    filled() {
        for (std::uint64_t i = 0; i < 10; ++i) {
            const auto s = healthy("1.0." + std::to_string(i), i, home.clock.now());
            REQUIRE(get(home.ledger().accept(s, park(s))).has_value());
            home.clock.advance(std::chrono::minutes{1});
        }
        home.close();
    }
    void trim(const embedded::retention_options& options) {
        connection db{home.database().string(), access::read_write};
        retention r{db, options};
        int steps = 0;
        while (r.step(home.clock.now())) REQUIRE(++steps < 100);
    }
    std::int64_t count(const char* what) {
        connection db{home.database().string(), access::read_only};
        return db.integer((std::string{"SELECT count(*) FROM "} + what).c_str());
    }
    ledger_on_disk home;
};

TEST_CASE("the past within its age and count is kept", "[ledger]") {
    filled f;
    f.trim({});
    CHECK(f.count("observations") == 10);
    CHECK(f.count("promotions") == 10);
    CHECK(f.count("history") == 9);
}

TEST_CASE("observations beyond their count go, the oldest first, in small steps", "[ledger]") {
    filled f;
    embedded::retention_options options;
    options.observations_at_most = 4;
    options.step = 2;
    f.trim(options);
    CHECK(f.count("observations") == 4);
    CHECK(f.count("observations WHERE revision = '1.0.9'") == 1);
    CHECK(f.count("promotions") == 10);
}

TEST_CASE("observations beyond their age go", "[ledger]") {
    filled f;
    embedded::retention_options options;
    f.home.clock.advance(options.observations_for - std::chrono::minutes{5});
    f.trim(options);
    CHECK(f.count("observations") == 5);
}

TEST_CASE(
    "ended promotions beyond their count go with their history, what waits stays", "[ledger]"
) {
    filled f;
    f.home.restart();
    const auto note_all = [](const pipeline::pipeline_records&) {
        pipeline::decision d;
        for (int i = 0; i < 10; ++i) {
            const pipeline::promotion_id id{podinfo, "prod", "1.0." + std::to_string(i)};
            d.changes.emplace_back(pipeline::set_work{id, {}});
        }
        return d;
    };
    REQUIRE(get(f.home.ledger().change(podinfo, "executor", note_all)).has_value());
    f.home.close();
    REQUIRE(f.count("work") == 10);
    embedded::retention_options options;
    options.promotions_at_most = 3;
    options.step = 2;
    f.trim(options);
    CHECK(f.count("promotions") == 3);
    CHECK(f.count("history") == 2);
    CHECK(f.count("work") == 3);
}

TEST_CASE("however old, environment records and their newest attempts stay", "[ledger]") {
    filled f;
    f.home.clock.advance(std::chrono::hours{24 * 10'000});
    f.trim({});
    CHECK(f.count("observations") == 0);
    CHECK(f.count("promotions") == 1);
    CHECK(f.count("promotions WHERE state = 'AwaitingApproval'") == 1);
    f.home.restart();
    const auto records = get(f.home.ledger().records(podinfo));
    CHECK(records->at("dev").slots.at("podinfo").facts.revision == "1.0.9");
    REQUIRE(records->at("prod").attempts.size() == 1);
    CHECK(records->at("prod").attempts[0].id.revision == "1.0.9");
}

TEST_CASE("an ended attempt that the record still names stays", "[ledger]") {
    filled f;
    f.home.restart();
    pipeline::promotion_id id{podinfo, "prod", "1.0.9", pipeline::promotion_kind::promotion, 1};
    const auto reject = move_to(id, pipeline::promotion_state::rejected);
    REQUIRE(get(f.home.ledger().change(podinfo, "user:ada", reject)).has_value());
    f.home.close();
    f.home.clock.advance(std::chrono::hours{24 * 10'000});
    f.trim({});
    CHECK(f.count("promotions WHERE state = 'Rejected'") == 1);
    CHECK(f.count("history") == 1);
}

TEST_CASE("a running ledger trims by itself between batches", "[ledger]") {
    embedded::ledger_options options;
    options.retention.observations_at_most = 5;
    options.retention.every = std::chrono::milliseconds{1};
    ledger_on_disk home{options};
    const auto rows = [&] {
        connection db{home.database().string(), access::read_only};
        return db.integer("SELECT count(*) FROM observations");
    };
    for (std::uint64_t i = 0; i < 50; ++i) {
        const auto s = healthy("1.0." + std::to_string(i), i, home.clock.now());
        REQUIRE(get(home.ledger().accept(s, park(s))).has_value());
    }
    home.restart();
    const auto deadline = std::chrono::steady_clock::now() + patience;
    while (rows() > 5 && std::chrono::steady_clock::now() < deadline) std::this_thread::yield();
    CHECK(rows() == 5);
}

} // namespace
} // namespace sluice::tests
