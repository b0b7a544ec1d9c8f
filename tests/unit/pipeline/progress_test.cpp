#include "tests/unit/pipeline/acting.hpp"

using namespace sluice;
using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

namespace {

result<decision> start(const world& w, const promotion_id& id) {
    return begin(*w.pipeline(), w.records(), id);
}

// A promotion into staging, at work.
world at_work(const std::string& revision = "1.0.0") {
    world w;
    w.tell("dev", healthy(revision, 1));
    w.perform(start(w, into("staging", revision)));
    return w;
}

const set_work& noted(const decision& d) {
    for (const auto& c : d.changes) {
        if (const auto* work = std::get_if<set_work>(&c)) return *work;
    }
    FAIL("no work was written down");
    throw std::logic_error("unreachable");
}

} // namespace

TEST_CASE("what is about to be done outside is written down while the promotion is at work") {
    for (const auto state :
         {running,
          pull_request_open,
          promotion_state::merged,
          promotion_state::deployed,
          promotion_state::deploy_failed,
          promotion_state::cancelled}) {
        auto w = at_work();
        w.move("staging", "1.0.0", state);
        const auto d = note_work(w.records(), into("staging", "1.0.0"), work_of("c1"));
        REQUIRE(d.has_value());
        CHECK(noted(*d).work == work_of("c1"));
        CHECK(d->changes.size() == 1);
    }
    for (const auto state : {pending, awaiting_approval, held, superseded, failed}) {
        auto w = at_work();
        w.move("staging", "1.0.0", state);
        check_refused(
            note_work(w.records(), into("staging", "1.0.0"), work_of("c1")),
            errc::conflict,
            std::string{to_string(state)}
        );
    }
}

TEST_CASE("an opened pull request is recorded with its work, and ends the older one's") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.move("staging", "1.0.0", pull_request_open);
    w.tell("dev", healthy("1.1.0", 2));
    const auto id = into("staging", "1.1.0");
    w.perform(start(w, id));
    const auto d = w.perform(opened(w.records(), id, work_of("c2", 7), "pull request 7 is open"));
    CHECK(where(w, id) == "PullRequestOpen(opened)");
    CHECK(where(w, into("staging", "1.0.0")) == "Superseded(newer)");
    CHECK(noted(d).work.pull_request->number == 7);
}

TEST_CASE("a pull request opened while the proof was withdrawn stays visible as withdrawn") {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    w.tell("dev", failure("1.0.0", 2));
    REQUIRE(where(w, id) == "Held(evidence)");
    w.perform(opened(w.records(), id, work_of("c1", 7), "open"));
    CHECK(where(w, id) == "PullRequestOpen(evidence)");
    w.tell("dev", healthy("1.0.0", 3));
    CHECK(where(w, id) == "PullRequestOpen(proven)");
}

TEST_CASE("a closed pull request that someone reopens is followed again, unless a newer one came") {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    w.perform(opened(w.records(), id, work_of("c1", 7), "open"));
    w.perform(ended(w.records(), id, closed, "closed", "someone closed it"));
    auto later = w;
    w.perform(opened(w.records(), id, work_of("c1", 7), "someone reopened it"));
    CHECK(where(w, id) == "PullRequestOpen(opened)");
    later.tell("dev", healthy("1.1.0", 2));
    check_refused(
        opened(later.records(), id, work_of("c1", 7), "reopened"), errc::conflict, "1.1.0"
    );
}

TEST_CASE("what went another way is not opened") {
    for (const auto state : {superseded, promotion_state::cancelled, pending, awaiting_approval}) {
        auto w = at_work();
        w.move("staging", "1.0.0", state);
        check_refused(
            opened(w.records(), into("staging", "1.0.0"), work_of("c1", 7), ""),
            errc::conflict,
            std::string{to_string(state)}
        );
    }
}

TEST_CASE("the executor ends or holds only what its state allows") {
    struct row {
        promotion_state from;
        promotion_state to;
        bool allowed;
    };
    const row rows[] = {
        {running, notified, true},
        {running, no_change, true},
        {running, failed, true},
        {running, held, true},
        {running, superseded, true},
        {pull_request_open, closed, true},
        {pull_request_open, superseded, true},
        {pull_request_open, failed, true},
        {running, promotion_state::cancelled, false}, // people do
        {running, promotion_state::merged, false},    // merged() does more
        {promotion_state::cancelled, closed, false},
        {promotion_state::merged, failed, false},
        {superseded, no_change, false},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.from) << " -> " << to_string(r.to));
        auto w = at_work();
        w.move("staging", "1.0.0", r.from);
        const auto d =
            ended(w.records(), into("staging", "1.0.0"), r.to, "why", "text", work_of("c1"));
        CHECK(d.has_value() == r.allowed);
        if (!d) {
            CHECK(d.error().code == errc::conflict);
            continue;
        }
        CHECK(noted(*d).work.commit == "c1");
        w.perform(d);
        CHECK(where(w, into("staging", "1.0.0")) == std::string{to_string(r.to)} + "(why)");
    }
}

TEST_CASE("a transient error keeps the state and says when it is tried again") {
    for (const auto state : {pending, running, pull_request_open, promotion_state::merged}) {
        auto w = at_work();
        w.move("staging", "1.0.0", state);
        auto work = work_of("c1");
        work.failures = 2;
        const auto d = w.perform(
            retry_later(w.records(), into("staging", "1.0.0"), "the forge said 502", at(60), work)
        );
        const auto& later = std::get<transition>(d.changes.at(0));
        CHECK(later.to == state);
        CHECK(later.retry_at == at(60));
        CHECK(later.message == "the forge said 502");
        CHECK(noted(d).work.failures == 2);
    }
    auto w = at_work();
    w.tell("dev", failure("1.0.0", 2));
    check_refused(
        retry_later(w.records(), into("staging", "1.0.0"), "502", at(60), {}),
        errc::conflict,
        "Held"
    );
}

TEST_CASE("a withdrawn proof is not forgotten over a transient error") {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    w.perform(opened(w.records(), id, work_of("c1", 7), "open"));
    w.tell("dev", failure("1.0.0", 2));
    w.perform(retry_later(w.records(), id, "502", at(60), work_of("c1", 7)));
    CHECK(where(w, id) == "PullRequestOpen(evidence)");
}

TEST_CASE(
    "a failed promotion is opened again when what it failed on changed, unless a newer one came"
) {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    check_refused(reopened(w.records(), id, "the Secret changed"), errc::conflict, "Running");
    w.perform(ended(w.records(), id, failed, "unauthenticated", "the token is wrong"));
    auto later = w;
    w.perform(reopened(w.records(), id, "the Secret changed"));
    CHECK(where(w, id) == "Pending(reopened)");

    later.tell("dev", healthy("1.1.0", 2));
    CHECK(later.perform(reopened(later.records(), id, "")).what == verdict_on_event::record);
    CHECK(where(later, id) == "Superseded(newer)");
}

TEST_CASE("a held one goes on when the branch is free again, one held for its proof does not") {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    w.perform(ended(w.records(), id, held, "branch", "somebody pushed to the branch"));
    w.perform(reopened(w.records(), id, "the branch is gone"));
    CHECK(where(w, id) == "Pending(reopened)");
    w.tell("dev", failure("1.0.0", 2));
    check_refused(reopened(w.records(), id, ""), errc::conflict, "Held");
}

TEST_CASE(
    "one whose pull request was merged with an older commit goes on, also beside a newer that waits"
) {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    w.perform(opened(w.records(), id, work_of("c1", 7), "open"));
    auto d = manual_pipeline();
    w.change_pipeline(d);
    w.tell("dev", healthy("1.1.0", 2));
    auto approved = w;
    w.perform(reopened(w.records(), id, "the older commit was merged"));
    CHECK(where(w, id) == "Running(reopened)");
    approved.perform(approve(by(approved), approved.records(), into("staging", "1.1.0")));
    approved.perform(reopened(approved.records(), id, ""));
    CHECK(where(approved, id) == "Superseded(newer)");
}

TEST_CASE("trouble of the executor does not hide that the revision failed meanwhile") {
    for (const auto to : {failed, held}) {
        auto w = at_work();
        const auto id = into("staging", "1.0.0");
        w.tell("dev", failure("1.0.0", 2));
        w.tell("dev", flux("0.9.0", verdict::rolled_back, 3));
        w.perform(ended(w.records(), id, to, "branch", "somebody pushed to it"));
        CHECK(where(w, id) == "Held(evidence)");
        check_refused(reopened(w.records(), id, "the branch is free"), errc::conflict, "Held");
    }
}

TEST_CASE("a revision that failed is not begun again when its pull request merged an older commit"
) {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    w.perform(opened(w.records(), id, work_of("c1", 7), "opened"));
    w.tell("dev", failure("1.0.0", 2));
    CHECK(where(w, id) == "PullRequestOpen(evidence)");
    const auto d = w.perform(reopened(w.records(), id, "the older commit was merged"));
    CHECK(d.what == verdict_on_event::record);
    CHECK(where(w, id) == "Held(evidence)");
    w.tell("dev", healthy("1.0.0", 3));
    CHECK(where(w, id) == "Pending(proven)");
}
