#include "tests/home/ledger_events.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/embedded/held_request.hpp"
#include "tests/unit/embedded/ledger_on_disk.hpp"

#include <boost/asio/co_spawn.hpp>

namespace sluice::tests {
namespace {

// Only a full batch or somebody in a hurry ends the waiting within these tests.
embedded::ledger_options waiting_for(std::size_t enough) {
    embedded::ledger_options options;
    options.enough = enough;
    options.quiet = std::chrono::seconds{60};
    options.gather = std::chrono::seconds{60};
    return options;
}

// Events that are in the ledger's queue while its writer is held.
struct senders {
    senders(ledger_on_disk& home, std::uint64_t count) {
        for (std::uint64_t i = 2; i < 2 + count; ++i) {
            const auto s = healthy("1.0." + std::to_string(i), i, home.clock.now());
            boost::asio::co_spawn(
                loop,
                home.ledger().accept(s, park(s)),
                [this](auto, const auto& answer) { accepted += answer.has_value() ? 1 : 0; }
            );
        }
        loop.poll();
    }
    borrowed_loop borrowed;
    boost::asio::io_context& loop = *borrowed;
    std::uint64_t accepted = 0;
};

TEST_CASE("senders that wait together share one commit", "[ledger]") {
    boost::asio::io_context held_loop;
    ledger_on_disk home{waiting_for(8)};
    held_request first{held_loop, home.ledger(), healthy("1.0.0", 1, home.clock.now())};
    senders eight{home, 8};
    first.let_go();
    eight.loop.run_for(patience);
    CHECK(eight.accepted == 8);
    const auto text = home.metrics.text();
    CHECK_THAT(text, Catch::Contains("sluice_ledger_batch_size_count 2\n"));
    CHECK_THAT(text, Catch::Contains("sluice_ledger_batch_size_sum 9\n"));
}

TEST_CASE("the metrics tell how many wait for the writer", "[ledger]") {
    boost::asio::io_context held_loop;
    ledger_on_disk home;
    held_request first{held_loop, home.ledger(), healthy("1.0.0", 1, home.clock.now())};
    senders three{home, 3};
    CHECK_THAT(home.metrics.text(), Catch::Contains("sluice_ledger_queue_depth 3\n"));
    first.let_go();
    three.loop.run_for(patience);
    CHECK(three.accepted == 3);
    CHECK_THAT(home.metrics.text(), Catch::Contains("sluice_ledger_queue_depth 0\n"));
}

TEST_CASE("what a person or the executor does is not kept waiting for more events", "[ledger]") {
    boost::asio::io_context held_loop;
    ledger_on_disk home{waiting_for(1'000)};
    held_request first{held_loop, home.ledger(), healthy("1.0.0", 1, home.clock.now())};
    senders two{home, 2};
    first.let_go();
    const auto nothing = [](const pipeline::pipeline_records&) { return pipeline::decision{}; };
    CHECK(get(home.ledger().change(podinfo, "somebody", nothing)).has_value());
    two.loop.run_for(patience);
    CHECK(two.accepted == 2);
}

} // namespace
} // namespace sluice::tests
