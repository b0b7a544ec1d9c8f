#pragma once

#include "tests/home/ledger_events.hpp"
#include "tests/home/ledger_fixture.hpp"
#include "tests/support/catch.hpp"

// What every ledger owes those who carry promotions out.
namespace sluice::tests {

inline pipeline::promotion_work some_work() {
    pipeline::promotion_work w;
    w.repository = "https://git.example.org/org/fleet";
    w.base_branch = "main";
    w.branch = "promotion-default-podinfo-prod";
    w.base_commit = std::string(40, 'a');
    w.commit = std::string(40, 'b');
    w.replaced = "0.9.0";
    w.pull_request = pipeline::pull_request{
        "https://git.example.org/org/fleet/pulls/7",
        7,
        pipeline::pull_request_state::open,
        std::string(40, 'b')
    };
    w.failures = 3;
    return w;
}

// Changes without a rule behind them.
inline home::change_fn write(std::vector<pipeline::change> changes) {
    return [changes = std::move(changes)](const pipeline::pipeline_records&) {
        pipeline::decision d;
        d.changes = changes;
        return d;
    };
}

inline void conforms_in_keeping_work(const make_ledger& make) {
    using pipeline::promotion_state;
    const auto home = make();
    auto& clock = home->clock;
    const auto s = healthy("1.0.0", 1, clock.now());
    const auto id = promotion_into_prod(s).id;
    REQUIRE(get(home->ledger().accept(s, park(s))).has_value());
    const auto change = [&](std::vector<pipeline::change> changes) {
        return get(home->ledger().change(podinfo, "executor", write(std::move(changes))));
    };
    const auto shown = [&] { return get(home->ledger().show(id.text())).value(); };

    SECTION("work that was written down is there after a restart, wherever the promotion is read") {
        CHECK(shown().promotion.work == pipeline::promotion_work{});
        REQUIRE(change({pipeline::set_work{id, some_work()}}).has_value());
        for (int round = 0; round < 2; ++round, home->restart()) {
            CHECK(shown().promotion.work == some_work());
            CHECK(get(home->ledger().list({}))->at(0).work == some_work());
            CHECK(get(home->ledger().live())->at(0).work == some_work());
        }
    }
    SECTION("work is replaced as a whole, and is no state of its own") {
        REQUIRE(change({pipeline::set_work{id, some_work()}}).has_value());
        auto less = some_work();
        less.pull_request.reset();
        less.failures = 0;
        REQUIRE(change({pipeline::set_work{id, less}}).has_value());
        CHECK(shown().promotion.work == less);
        CHECK(shown().history.size() == 1);
    }
    SECTION("work stays when the promotion moves, and starts anew when its identity is opened anew"
    ) {
        REQUIRE(change({pipeline::set_work{id, some_work()}}).has_value());
        REQUIRE(get(home->ledger().change(podinfo, "executor", move_to(id, promotion_state::failed))
        )
                    .has_value());
        REQUIRE(
            get(home->ledger().change(podinfo, "user:ada", move_to(id, promotion_state::pending)))
                .has_value()
        );
        CHECK(shown().promotion.work == some_work());
        REQUIRE(change({pipeline::open_promotion{promotion_into_prod(s)}}).has_value());
        CHECK(shown().promotion.work == pipeline::promotion_work{});
        auto with = promotion_into_prod(s);
        with.id.attempt = 2;
        with.work = some_work();
        REQUIRE(change({pipeline::open_promotion{with}}).has_value());
        CHECK(get(home->ledger().show(with.id.text()))->promotion.work == some_work());
    }
    SECTION("work of a promotion nobody opened is refused") {
        auto other = id;
        other.revision = "9.9.9";
        CHECK(change({pipeline::set_work{other, some_work()}}).error().code == errc::internal);
    }
    SECTION("the link to the CI run is kept") {
        auto claimed = promotion_into_prod(s);
        claimed.id.revision = "1.1.0";
        claimed.url = "https://ci.example.org/runs/1";
        REQUIRE(change({pipeline::open_promotion{claimed}}).has_value());
        home->restart();
        CHECK(get(home->ledger().show(claimed.id.text()))->promotion.url == claimed.url);
    }
    SECTION("the time of the next try is kept until the next transition") {
        const auto later = clock.now() + std::chrono::seconds{60};
        const auto move = [&](std::optional<time_point> retry_at, std::string message) {
            REQUIRE(change({pipeline::transition{
                               id, promotion_state::running, "proven", std::move(message), retry_at
                           }}
            ).has_value());
        };
        move(later, "the forge said 502");
        home->restart();
        CHECK(shown().promotion.retry_at == later);
        move(std::nullopt, "at work");
        CHECK_FALSE(shown().promotion.retry_at);
    }
    SECTION("of many tries in one state history keeps the first and the last") {
        const auto fail = [&](int number) {
            clock.advance(std::chrono::seconds{1});
            REQUIRE(change({pipeline::transition{
                               id,
                               promotion_state::running,
                               "proven",
                               "failure " + std::to_string(number),
                               clock.now() + std::chrono::seconds{60}
                           }}
            ).has_value());
        };
        REQUIRE(
            get(home->ledger().change(podinfo, "executor", move_to(id, promotion_state::running)))
                .has_value()
        );
        for (int i = 1; i <= 50; ++i) fail(i);
        REQUIRE(get(home->ledger().change(podinfo, "executor", move_to(id, promotion_state::merged))
        )
                    .has_value());
        const auto history = shown().history;
        REQUIRE(history.size() == 4);
        CHECK(history[1].message == "somebody asked for it");
        CHECK(history[2].message == "failure 50");
        CHECK(history[3].state == "Merged");
    }
}

} // namespace sluice::tests
