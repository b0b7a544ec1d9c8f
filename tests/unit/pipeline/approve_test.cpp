#include "tests/unit/pipeline/acting.hpp"

using namespace sluice;
using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

TEST_CASE("an approved promotion goes on, and its history says who and why") {
    world w{manual_pipeline()};
    w.tell("dev", healthy("1.0.0", 1));
    const auto id = into("staging", "1.0.0");
    REQUIRE(where(w, id) == "AwaitingApproval(manual)");
    const auto d = w.perform(approve(by(w, "looks good"), w.records(), id));
    CHECK(d.what == verdict_on_event::promote);
    CHECK(d.promotion == id);
    CHECK(d.reason == "user:ada approved it: looks good");
    CHECK(where(w, id) == "Pending(approved)");
}

TEST_CASE("approving what already went on changes nothing") {
    for (const auto state :
         {pending,
          running,
          pull_request_open,
          promotion_state::merged,
          deployed,
          notified,
          no_change,
          deploy_failed}) {
        INFO(to_string(state));
        world w{manual_pipeline()};
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        const auto d = w.perform(approve(by(w), w.records(), into("staging", "1.0.0")));
        CHECK(d.what == verdict_on_event::duplicate);
        CHECK(d.changes.empty());
        CHECK_THAT(d.reason, Catch::Contains(std::string{to_string(state)}));
    }
}

TEST_CASE("what has ended otherwise cannot be approved, and the answer says what helps") {
    for (const auto state :
         {promotion_state::rejected, expired, promotion_state::cancelled, closed, failed}) {
        INFO(to_string(state));
        world w{manual_pipeline()};
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        check_refused(
            approve(by(w), w.records(), into("staging", "1.0.0")), errc::conflict, "retry it"
        );
    }
}

TEST_CASE("approving a superseded promotion names the newer one that waits") {
    world w{manual_pipeline()};
    w.tell("dev", healthy("1.0.0", 1));
    w.tell("dev", healthy("1.1.0", 2));
    REQUIRE(where(w, into("staging", "1.0.0")) == "Superseded(newer)");
    const auto refused = approve(by(w), w.records(), into("staging", "1.0.0"));
    check_refused(
        refused, errc::conflict, "1.1.0 is AwaitingApproval (default/podinfo/staging@1.1.0)"
    );
    check_refused(reject(by(w), w.records(), into("staging", "1.0.0")), errc::conflict, "1.1.0");
    w.perform(approve(by(w), w.records(), into("staging", "1.1.0")));
}

TEST_CASE("a promotion whose proof was withdrawn cannot be approved until it is back") {
    world w{manual_pipeline()};
    w.tell("dev", healthy("1.0.0", 1));
    w.tell("dev", failure("1.0.0", 2));
    check_refused(
        approve(by(w), w.records(), into("staging", "1.0.0")), errc::conflict, "healthy again"
    );
    w.tell("dev", healthy("1.0.0", 3));
    w.perform(approve(by(w), w.records(), into("staging", "1.0.0")));
    CHECK(where(w, into("staging", "1.0.0")) == "Pending(approved)");
}

TEST_CASE("a rejected promotion stays rejected, also when its proof is repeated") {
    world w{manual_pipeline()};
    w.tell("dev", healthy("1.0.0", 1));
    const auto id = into("staging", "1.0.0");
    const auto d = w.perform(reject(by(w, "not before Monday"), w.records(), id));
    CHECK(d.reason == "user:ada rejected it: not before Monday");
    CHECK(where(w, id) == "Rejected(rejected)");
    CHECK(w.perform(reject(by(w), w.records(), id)).what == verdict_on_event::duplicate);
    CHECK(w.tell("dev", healthy("1.0.0", 9)).what == verdict_on_event::duplicate);
    CHECK(where(w, id) == "Rejected(rejected)");
}

TEST_CASE("only what waits for approval can be rejected") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    const auto id = into("staging", "1.0.0");
    check_refused(reject(by(w), w.records(), id), errc::conflict, "cancel it");
    w.move("staging", "1.0.0", promotion_state::merged);
    const auto refused = reject(by(w), w.records(), id);
    check_refused(refused, errc::conflict, "is Merged");
    CHECK_THAT(refused.error().detail, !Catch::Contains("cancel"));
}

TEST_CASE("whatever is under way can be cancelled once, what is merged or over cannot") {
    for (const auto state : {pending, awaiting_approval, held, running, pull_request_open}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        const auto id = into("staging", "1.0.0");
        w.perform(cancel(by(w), w.records(), id));
        CHECK(where(w, id) == "Cancelled(cancelled)");
        CHECK(w.perform(cancel(by(w), w.records(), id)).what == verdict_on_event::duplicate);
    }
    for (const auto state : {promotion_state::merged, deployed, superseded, failed, closed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        check_refused(
            cancel(by(w), w.records(), into("staging", "1.0.0")),
            errc::conflict,
            std::string{to_string(state)}
        );
    }
}

TEST_CASE("acting on a promotion that nobody opened is not found, on an earlier attempt a conflict"
) {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    check_refused(approve(by(w), w.records(), into("staging", "9.9.9")), errc::not_found, "9.9.9");
    check_refused(reject(by(w), w.records(), into("prod", "1.0.0")), errc::not_found, "prod@1.0.0");
    w.perform(cancel(by(w), w.records(), into("staging", "1.0.0")));
    w.perform(retry(by(w), w.records(), shown(into("staging", "1.0.0"), promotion_state::cancelled))
    );
    check_refused(
        cancel(by(w), w.records(), into("staging", "1.0.0")), errc::conflict, "staging@1.0.0#2"
    );
}
