#include "pipeline/progress.hpp"
#include "tests/unit/pipeline/acting.hpp"

using namespace sluice;
using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

namespace {

result<decision> ask(const world& w, const std::string& environment, const std::string& revision) {
    return promote(by(w), w.records(), environment, facts(revision));
}

} // namespace

TEST_CASE("a person promotes a revision that nobody reported") {
    world w;
    const auto d = w.perform(promote(by(w, "hotfix"), w.records(), "prod", facts("1.0.0")));
    CHECK(d.what == verdict_on_event::promote);
    CHECK(d.reason == "user:ada asked for 1.0.0 in prod: hotfix");
    CHECK(where(w, into("prod", "1.0.0")) == "Pending(asked)");
    CHECK(std::get<open_promotion>(d.changes.back()).promotion.from_environment.empty());
}

TEST_CASE("what was reported about the revision travels with it") {
    world w;
    auto event = healthy("6.2.1+0123456789ab", 5);
    event.facts.app_version = "6.2";
    event.facts.digest = "sha256:0123456789ab";
    w.tell("dev", event);
    const auto d = w.perform(ask(w, "prod", "6.2.1"));
    const auto& p = std::get<open_promotion>(d.changes.back()).promotion;
    CHECK(p.id == into("prod", "6.2.1"));
    CHECK(p.facts == event.facts);
    CHECK(p.from_environment == "dev");
    CHECK(p.first_evidence == at(5));
}

TEST_CASE("a manual environment still waits for approval when a person asks") {
    world w{manual_pipeline()};
    const auto d = w.perform(ask(w, "prod", "1.0.0"));
    CHECK(d.what == verdict_on_event::await_approval);
    CHECK(where(w, into("prod", "1.0.0")) == "AwaitingApproval(asked)");
}

TEST_CASE("asking for what is on its way finds it, for what has ended opens the next attempt") {
    for (const auto state :
         {pending, awaiting_approval, held, running, pull_request_open, promotion_state::merged}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        pipeline_records records = w.records();
        pipeline::apply(records, transition{into("staging", "1.0.0"), state, "", ""});
        const auto d = promote(by(w), records, "staging", facts("1.0.0"));
        REQUIRE(d.has_value());
        CHECK(d->what == verdict_on_event::duplicate);
        CHECK(d->promotion == into("staging", "1.0.0"));
        CHECK(d->changes.empty());
    }
    for (const auto state :
         {closed,
          promotion_state::rejected,
          promotion_state::cancelled,
          superseded,
          no_change,
          failed,
          deploy_failed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        const auto d = w.perform(ask(w, "staging", "1.0.0"));
        CHECK(d.promotion == into("staging", "1.0.0", 2));
        CHECK(where(w, into("staging", "1.0.0", 2)) == "Pending(asked)");
    }
}

TEST_CASE("a failed attempt that was asked for again is not opened beside its successor") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.move("staging", "1.0.0", failed);
    const auto d = w.perform(ask(w, "staging", "1.0.0"));
    const auto& over = std::get<transition>(d.changes.front());
    CHECK(over.id == into("staging", "1.0.0"));
    CHECK(over.to == superseded);
    CHECK_THAT(over.message, Catch::Contains("staging@1.0.0#2"));
}

TEST_CASE("asking for what already runs changes nothing") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    const auto d = w.perform(ask(w, "dev", "1.0.0"));
    CHECK(d.what == verdict_on_event::duplicate);
    CHECK(d.changes.empty());
    CHECK_THAT(d.reason, Catch::Contains("already runs"));
}

TEST_CASE("asking again for what was merged and failed in its target is not told that it runs") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.perform(pipeline::merged(w.records(), into("staging", "1.0.0"), {}, "merged"));
    REQUIRE(w.current("staging") == "1.0.0");
    w.tell("staging", failure("1.0.0", 2));
    REQUIRE(w.state("staging", "1.0.0") == "DeployFailed");
    const auto d = w.perform(ask(w, "staging", "1.0.0"));
    CHECK(d.what == verdict_on_event::promote);
    CHECK(d.promotion == into("staging", "1.0.0", 2));
}

TEST_CASE("a person does not go back by promote, nor overtake what is on its way") {
    world w;
    w.tell("staging", healthy("2.0.0", 1));
    check_refused(ask(w, "staging", "1.0.0"), errc::conflict, "rollback");
    w.tell("dev", healthy("3.0.0", 2));
    check_refused(ask(w, "staging", "2.5.0"), errc::conflict, "cancel that one");
    w.perform(cancel(by(w), w.records(), into("staging", "3.0.0")));
    CHECK(w.perform(ask(w, "staging", "2.5.0")).what == verdict_on_event::promote);
}

TEST_CASE("a person's promotion ends the older ones that wait") {
    world w{manual_pipeline()};
    w.tell("dev", healthy("1.0.0", 1));
    w.perform(ask(w, "staging", "1.1.0"));
    CHECK(where(w, into("staging", "1.0.0")) == "Superseded(newer)");
}

TEST_CASE("what the Pipeline does not allow is refused with what to change") {
    auto d = make_pipeline();
    d.deny.push_back({"6.1.7", "CVE-2026-0001"});
    world w{d};
    check_refused(ask(w, "prod", "6.1.7"), errc::unprocessable, "CVE-2026-0001");
    check_refused(ask(w, "live", "1.0.0"), errc::unprocessable, "dev, staging, prod");
    check_refused(ask(w, "prod", ""), errc::unprocessable, "name the revision");
    d.suspend = true;
    w.change_pipeline(d);
    check_refused(ask(w, "prod", "1.0.0"), errc::conflict, "suspended");
    d.suspend = false;
    d.promotion.reset();
    w.change_pipeline(d);
    check_refused(ask(w, "prod", "1.0.0"), errc::unprocessable, "no promotion block");
}

TEST_CASE("a revision that failed where it comes from is not promoted by a person either") {
    world w;
    w.tell("dev", failure("1.0.0", 1));
    check_refused(ask(w, "staging", "1.0.0"), errc::conflict, "failed in dev");
}
