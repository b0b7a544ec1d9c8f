#include "tests/unit/pipeline/acting.hpp"

using namespace sluice;
using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

TEST_CASE("a failed promotion is retried in place, its approval kept and its failures forgotten") {
    world w{manual_pipeline()};
    w.tell("dev", healthy("1.0.0", 1));
    const auto id = into("staging", "1.0.0");
    w.perform(approve(by(w), w.records(), id));
    w.move("staging", "1.0.0", failed);
    auto p = shown(id, failed);
    p.work = work_of("c1");
    p.work.failures = 7;
    const auto d = w.perform(retry(by(w), w.records(), p));
    CHECK(d.what == verdict_on_event::promote);
    CHECK(d.promotion == id);
    CHECK(where(w, id) == "Pending(retried)");
    REQUIRE(d.changes.size() == 2);
    const auto& kept = std::get<set_work>(d.changes[1]).work;
    CHECK(kept.failures == 0);
    CHECK(kept.commit == "c1");
}

TEST_CASE("what people ended is retried as a new attempt that is approved anew") {
    for (const auto state :
         {closed, promotion_state::rejected, expired, promotion_state::cancelled}) {
        INFO(to_string(state));
        world w{manual_pipeline()};
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        const auto d = w.perform(retry(by(w), w.records(), shown(into("staging", "1.0.0"), state)));
        CHECK(d.what == verdict_on_event::await_approval);
        CHECK(d.promotion == into("staging", "1.0.0", 2));
        CHECK(where(w, into("staging", "1.0.0", 2)) == "AwaitingApproval(retried)");
        CHECK(where(w, into("staging", "1.0.0")) == "-");
        const auto& opened = std::get<open_promotion>(d.changes.back()).promotion;
        CHECK(opened.from_environment == "dev");
        CHECK(opened.first_evidence == at(1));
    }
}

TEST_CASE("a retry whose place a newer revision took is refused and names it") {
    for (const auto state : {closed, failed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        w.tell("dev", healthy("1.1.0", 2));
        check_refused(
            retry(by(w), w.records(), shown(into("staging", "1.0.0"), state)),
            errc::conflict,
            "1.1.0"
        );
    }
}

TEST_CASE("a person's commit on the branch holds a promotion until somebody retries it") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    const auto id = into("staging", "1.0.0");
    w.perform(begin(*w.pipeline(), w.records(), id));
    w.perform(ended(w.records(), id, held, "branch", "somebody pushed to the branch"));
    REQUIRE(where(w, id) == "Held(branch)");
    w.perform(retry(by(w), w.records(), shown(id, held, "branch")));
    CHECK(where(w, id) == "Pending(retried)");
}

TEST_CASE("a withdrawn proof cannot be retried away") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.tell("dev", failure("1.0.0", 2));
    const auto id = into("staging", "1.0.0");
    check_refused(
        retry(by(w), w.records(), shown(id, held, "evidence")), errc::conflict, "healthy again"
    );
}

TEST_CASE("what waits for its next try is tried at once, in the state it is in") {
    for (const auto state : {pending, running, pull_request_open}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        auto p = shown(into("staging", "1.0.0"), state);
        CHECK(w.perform(retry(by(w), w.records(), p)).what == verdict_on_event::duplicate);
        p.retry_at = at(500);
        const auto d = w.perform(retry(by(w), w.records(), p));
        CHECK(d.what == verdict_on_event::promote);
        const auto& now = std::get<transition>(d.changes.at(0));
        CHECK(now.to == state);
        CHECK_FALSE(now.retry_at);
    }
}

TEST_CASE("what is done, superseded or waits for a person is not retried") {
    struct row {
        promotion_state state;
        std::string text;
    };
    const row rows[] = {
        {awaiting_approval, "approve it"},
        {promotion_state::merged, "nothing to retry"},
        {deployed, "nothing to retry"},
        {superseded, "promote the revision"},
        {denied, "nothing to retry"},
        {notified, "nothing to retry"},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", r.state);
        check_refused(
            retry(by(w), w.records(), shown(into("staging", "1.0.0"), r.state)),
            errc::conflict,
            r.text
        );
    }
}

TEST_CASE("nothing is retried into a suspended environment or one that is gone") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.move("staging", "1.0.0", closed);
    auto d = make_pipeline();
    d.environments[1].suspend = true;
    w.change_pipeline(d);
    const auto p = shown(into("staging", "1.0.0"), closed);
    check_refused(retry(by(w), w.records(), p), errc::conflict, "resume it");
    d.environments.erase(d.environments.begin() + 1);
    w.change_pipeline(d);
    check_refused(retry(by(w), w.records(), p), errc::unprocessable, "no environment staging");
}

TEST_CASE("a promotion the record has forgotten is retried as a new attempt") {
    world w;
    const auto p = shown(into("staging", "1.0.0"), failed);
    CHECK(w.perform(retry(by(w), w.records(), p)).promotion == into("staging", "1.0.0", 2));
}
