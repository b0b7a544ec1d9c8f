#pragma once

#include "tests/home/ledger_events.hpp"
#include "tests/home/ledger_fixture.hpp"
#include "tests/support/catch.hpp"

#include <stdexcept>

// What every ledger owes the rest of the program. Call it from a TEST_CASE with a way to make a fresh one.
namespace sluice::tests {

inline void conforms_in_accepting(const make_ledger& make) {
    const auto home = make();
    auto& clock = home->clock;
    const auto send = [&](const home::submission& s) {
        return get(home->ledger().accept(s, park(s)));
    };

    SECTION("an accepted event is answered with the decision and survives a restart") {
        const auto answer = send(healthy("1.0.0", 1, clock.now()));
        REQUIRE(answer.has_value());
        CHECK(answer->what == pipeline::verdict_on_event::await_approval);
        CHECK(answer->promotion == "default/podinfo/prod@1.0.0");
        const auto before = get(home->ledger().records(podinfo));
        home->restart();
        const auto after = get(home->ledger().records(podinfo));
        REQUIRE(after.has_value());
        CHECK(after->at("dev").slots.at("podinfo").facts.revision == "1.0.0");
        CHECK(after->at("prod").attempts.size() == 1);
        CHECK(*after == *before);
    }
    SECTION("the same bytes are decided once and get the first answer") {
        const auto s = healthy("1.0.0", 1, clock.now());
        const auto first = send(s);
        const auto never = [](const pipeline::pipeline_records&) -> pipeline::decision {
            throw std::logic_error("decided twice");
        };
        const auto again = get(home->ledger().accept(s, never));
        REQUIRE(again.has_value());
        CHECK(again->what == first->what);
        CHECK(again->reason == first->reason);
        CHECK(again->promotion == first->promotion);
    }
    SECTION("accepted bytes are recalled, from other environments too, also after a restart") {
        const auto s = healthy("1.0.0", 1, clock.now());
        CHECK_FALSE(home->ledger().recall(podinfo, s.digest));
        REQUIRE(send(s).has_value());
        for (int round = 0; round < 2; ++round, home->restart()) {
            const auto known = home->ledger().recall(podinfo, s.digest);
            REQUIRE(known);
            CHECK(known->environment == "dev");
            CHECK(known->signed_at == s.event->signed_at);
            CHECK(known->answer.what == pipeline::verdict_on_event::await_approval);
            CHECK(known->answer.promotion == "default/podinfo/prod@1.0.0");
            CHECK_FALSE(home->ledger().recall({"default", "other"}, s.digest));
        }
    }
    SECTION("the same bytes sent to another environment are refused") {
        auto s = healthy("1.0.0", 1, clock.now());
        REQUIRE(send(s).has_value());
        s.environment = "staging";
        const auto answer = send(s);
        REQUIRE(answer.has_error());
        CHECK(answer.error().code == errc::unauthenticated);
    }
    SECTION("the same bytes many times at once are accepted once") {
        std::vector<boost::asio::awaitable<result<home::acceptance>>> all;
        const auto s = healthy("1.0.0", 1, clock.now());
        for (int i = 0; i < 32; ++i) all.push_back(home->ledger().accept(s, park(s)));
        for (const auto& answer : get_all(std::move(all))) {
            REQUIRE(answer.has_value());
            CHECK(answer->what == pipeline::verdict_on_event::await_approval);
        }
    }
    SECTION("of many events at once each decision sees all before it") {
        std::vector<boost::asio::awaitable<result<home::acceptance>>> all;
        for (std::uint64_t i = 0; i < 100; ++i) {
            const auto s = healthy("1.0." + std::to_string(i), i, clock.now());
            all.push_back(home->ledger().accept(s, park(s)));
        }
        for (const auto& answer : get_all(std::move(all))) REQUIRE(answer.has_value());
        const auto listed = get(home->ledger().list({}));
        REQUIRE(listed.has_value());
        CHECK(listed->size() == 100);
        const auto waits = [](const auto& p) {
            return p.state == pipeline::promotion_state::awaiting_approval;
        };
        CHECK(std::ranges::count_if(*listed, waits) == 1);
        CHECK(get(home->ledger().records(podinfo))->at("prod").attempts.size() == 1);
    }
    SECTION("a decision that throws fails alone and leaves nothing behind") {
        const auto broken = [](const pipeline::pipeline_records&) -> pipeline::decision {
            throw std::runtime_error("a bug");
        };
        const auto good = healthy("1.0.0", 1, clock.now());
        const auto bad = healthy("2.0.0", 2, clock.now());
        std::vector<boost::asio::awaitable<result<home::acceptance>>> all;
        all.push_back(home->ledger().accept(bad, broken));
        all.push_back(home->ledger().accept(good, park(good)));
        const auto answers = get_all(std::move(all));
        REQUIRE(answers[0].has_error());
        CHECK(answers[0].error().code == errc::internal);
        CHECK(answers[1].has_value());
        CHECK_FALSE(home->ledger().recall(podinfo, bad.digest));
        CHECK(send(bad).has_value());
    }
    SECTION("a decision that moves what was never opened fails alone") {
        const auto good = healthy("1.0.0", 1, clock.now());
        const auto bad = healthy("2.0.0", 2, clock.now());
        const auto id = promotion_into_prod(bad).id;
        std::vector<boost::asio::awaitable<result<home::acceptance>>> all;
        all.push_back(home->ledger().accept(good, park(good)));
        all.push_back(home->ledger().accept(bad, move_to(id, pipeline::promotion_state::running)));
        const auto answers = get_all(std::move(all));
        CHECK(answers[0].has_value());
        REQUIRE(answers[1].has_error());
        CHECK(answers[1].error().code == errc::internal);
        CHECK(get(home->ledger().list({}))->size() == 1);
    }
}

inline void conforms_in_telling(const make_ledger& make) {
    const auto home = make();
    auto& clock = home->clock;
    const auto send = [&](const home::submission& s) {
        REQUIRE(get(home->ledger().accept(s, park(s))).has_value());
        clock.advance(std::chrono::seconds{1});
    };
    const auto ids = [&](home::promotion_filter filter) {
        std::vector<std::string> found;
        const auto listed = get(home->ledger().list(std::move(filter)));
        for (const auto& p : listed.value()) found.push_back(p.id.text());
        return found;
    };

    SECTION("promotions are listed newest first, by filter, up to a limit") {
        send(healthy("1.0.0", 1, clock.now()));
        send(healthy("1.1.0", 2, clock.now()));
        send(healthy("1.0.0", 3, clock.now(), {"default", "other"}));
        send(healthy("1.0.0", 4, clock.now(), {"team", "podinfo"}));
        const std::string p1 = "default/podinfo/prod@1.0.0";
        const std::string p2 = "default/podinfo/prod@1.1.0";
        const std::string other = "default/other/prod@1.0.0";
        const std::string team = "team/podinfo/prod@1.0.0";
        for (int round = 0; round < 2; ++round, home->restart()) {
            using all = std::vector<std::string>;
            CHECK(ids({}) == all{team, other, p2, p1});
            CHECK(ids({"", "", "", "", 2}) == all{team, other});
            CHECK(ids({"default", "", "", "", 9}) == all{other, p2, p1});
            CHECK(ids({"default", "podinfo", "", "", 9}) == all{p2, p1});
            CHECK(ids({"", "podinfo", "", "", 2}) == all{team, p2});
            CHECK(ids({"", "", "prod", "Superseded", 9}) == all{p1});
            CHECK(ids({"default", "podinfo", "", "AwaitingApproval", 9}) == all{p2});
            CHECK(ids({"", "", "staging", "", 9}).empty());
        }
    }
    SECTION("a promotion tells what became of it, when and by whom") {
        const auto began = clock.now();
        send(healthy("1.0.0", 1, began));
        send(healthy("1.1.0", 2, clock.now()));
        for (int round = 0; round < 2; ++round, home->restart()) {
            const auto shown = get(home->ledger().show("default/podinfo/prod@1.0.0"));
            REQUIRE(shown.has_value());
            CHECK(shown->promotion.state == pipeline::promotion_state::superseded);
            CHECK(shown->promotion.reason == "newer");
            CHECK(shown->promotion.message == "replaced by 1.1.0");
            CHECK(shown->promotion.facts.revision == "1.0.0");
            CHECK(shown->promotion.from_environment == "dev");
            CHECK(shown->promotion.first_evidence == began);
            CHECK(shown->promotion.created_at == began);
            CHECK(shown->promotion.updated_at == began + std::chrono::seconds{1});
            REQUIRE(shown->history.size() == 2);
            CHECK(shown->history[0].state == "AwaitingApproval");
            CHECK(shown->history[0].at == began);
            CHECK(shown->history[0].actor == "flux");
            CHECK(shown->history[1].state == "Superseded");
            CHECK(shown->history[1].message == "replaced by 1.1.0");
        }
    }
    SECTION("a promotion nobody opened is not found, and what is no identity is refused") {
        CHECK(
            get(home->ledger().show("default/podinfo/prod@9.9.9")).error().code == errc::not_found
        );
        CHECK(get(home->ledger().show("podinfo")).error().code == errc::invalid_argument);
    }
    SECTION("a person's change is recorded with their name") {
        const auto s = healthy("1.0.0", 1, clock.now());
        send(s);
        const auto id = promotion_into_prod(s).id;
        const auto reject = move_to(id, pipeline::promotion_state::rejected);
        REQUIRE(get(home->ledger().change(podinfo, "user:ada", reject)).has_value());
        const auto shown = get(home->ledger().show(id.text()));
        CHECK(shown->promotion.state == pipeline::promotion_state::rejected);
        CHECK(shown->promotion.updated_at == clock.now());
        CHECK(shown->history.back().actor == "user:ada");
        home->restart();
        const auto records = get(home->ledger().records(podinfo));
        CHECK(records->at("prod").attempts.at(0).state == pipeline::promotion_state::rejected);
    }
    SECTION("a second attempt takes the first one's place in the record, not in the list") {
        const auto s = healthy("1.0.0", 1, clock.now());
        send(s);
        auto retried = promotion_into_prod(s);
        retried.id.attempt = 2;
        const auto retry = [&](const pipeline::pipeline_records&) {
            pipeline::decision d;
            d.changes.emplace_back(pipeline::open_promotion{retried});
            return d;
        };
        REQUIRE(get(home->ledger().change(podinfo, "user:ada", retry)).has_value());
        const auto before = get(home->ledger().records(podinfo));
        home->restart();
        const auto after = get(home->ledger().records(podinfo));
        CHECK(*after == *before);
        REQUIRE(after->at("prod").attempts.size() == 1);
        CHECK(after->at("prod").attempts[0].id == retried.id);
        CHECK(get(home->ledger().list({}))->size() == 2);
    }
    SECTION("a forgotten identity that is opened again keeps its history and is the newest") {
        send(healthy("1.0.0", 1, clock.now()));
        send(healthy("1.1.0", 2, clock.now()));
        send(healthy("1.0.0", 3, clock.now()));
        CHECK(ids({}).front() == "default/podinfo/prod@1.0.0");
        const auto shown = get(home->ledger().show("default/podinfo/prod@1.0.0"));
        REQUIRE(shown->history.size() == 3);
        CHECK(shown->history[1].state == "Superseded");
        CHECK(shown->history[2].state == "AwaitingApproval");
        const auto before = get(home->ledger().records(podinfo));
        home->restart();
        CHECK(*get(home->ledger().records(podinfo)) == *before);
    }
    SECTION("a cleared slot and a current revision survive a restart") {
        send(healthy("1.0.0", 1, clock.now()));
        const auto settle = [](const pipeline::pipeline_records&) {
            pipeline::decision d;
            d.changes.emplace_back(pipeline::clear_slot{"dev", "podinfo"});
            d.changes.emplace_back(
                pipeline::set_current{"prod", {"1.0.0", "6.0", "sha256:00", "i", "t"}}
            );
            return d;
        };
        REQUIRE(get(home->ledger().change(podinfo, "executor", settle)).has_value());
        home->restart();
        const auto records = get(home->ledger().records(podinfo));
        CHECK_FALSE(records->contains("dev"));
        CHECK(
            records->at("prod").current ==
            pipeline::revision_facts{"1.0.0", "6.0", "sha256:00", "i", "t"}
        );
    }
    SECTION("a ledger in use is well") {
        send(healthy("1.0.0", 1, clock.now()));
        CHECK(home->ledger().health().ok);
        CHECK_FALSE(home->ledger().wedged());
    }
}

} // namespace sluice::tests
