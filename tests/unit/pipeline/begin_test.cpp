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

} // namespace

TEST_CASE("what is pending begins, and begins again after a restart") {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    CHECK(where(w, id) == "Running(proven)");
    const auto again = w.perform(start(w, id));
    CHECK(again.what == verdict_on_event::promote);
    CHECK(where(w, id) == "Running(proven)");
}

TEST_CASE("only what is pending or running begins") {
    for (const auto state :
         {awaiting_approval,
          held,
          pull_request_open,
          promotion_state::merged,
          promotion_state::cancelled,
          failed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        check_refused(
            start(w, into("staging", "1.0.0")), errc::conflict, std::string{to_string(state)}
        );
    }
    const world w;
    check_refused(start(w, into("staging", "1.0.0")), errc::conflict, "history");
}

TEST_CASE("a suspended, changed or broken Pipeline pauses its promotions") {
    const auto whole = make_pipeline();
    auto suspended = whole;
    suspended.suspend = true;
    auto closed_off = whole;
    closed_off.environments[1].suspend = true;
    auto without_policy = whole;
    without_policy.promotion.reset();
    auto without_environment = whole;
    without_environment.environments.erase(without_environment.environments.begin() + 1);
    const std::pair<definition, std::string> rows[] = {
        {suspended, "podinfo is suspended"},
        {closed_off, "staging of default/podinfo is suspended"},
        {without_policy, "no promotion block"},
        {without_environment, "no environment staging"},
    };
    for (const auto& [pipeline, text] : rows) {
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.change_pipeline(pipeline);
        check_refused(start(w, into("staging", "1.0.0")), errc::conflict, text);
        w.change_pipeline(whole);
        CHECK(w.perform(start(w, into("staging", "1.0.0"))).what == verdict_on_event::promote);
    }
}

TEST_CASE("a revision denied after it was opened does not begin") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    auto d = make_pipeline();
    d.deny.push_back({"1.0.0", "CVE"});
    w.change_pipeline(d);
    CHECK(w.perform(start(w, into("staging", "1.0.0"))).what == verdict_on_event::record);
    CHECK(where(w, into("staging", "1.0.0")) == "Denied(deny)");
}

TEST_CASE("a failed one is held when its revision fails, and no edit of the Pipeline opens it again"
) {
    auto w = at_work();
    const auto id = into("staging", "1.0.0");
    w.perform(ended(w.records(), id, failed, "markers", "no marker"));
    w.tell("dev", failure("1.0.0", 2));
    CHECK(where(w, id) == "Held(evidence)");
    // The rollback takes the failure out of the slot, not out of the promotion.
    w.tell("dev", flux("0.9.0", verdict::rolled_back, 2));
    check_refused(reopened(w.records(), id, "the Pipeline changed"), errc::conflict, "Held");
    check_refused(start(w, id), errc::conflict, "Held");
    w.tell("dev", healthy("1.0.0", 3));
    CHECK(w.perform(start(w, id)).what == verdict_on_event::promote);
}

TEST_CASE("the newest begins and ends the older ones at work, but leaves their pull request") {
    struct row {
        promotion_state older;
        std::string after;
    };
    const row rows[] = {
        {running, "Superseded(newer)"},
        {pull_request_open, "PullRequestOpen()"},
        {promotion_state::merged, "Merged()"},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.older));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", r.older);
        w.tell("dev", healthy("1.1.0", 2));
        CHECK(w.perform(start(w, into("staging", "1.1.0"))).what == verdict_on_event::promote);
        CHECK(where(w, into("staging", "1.1.0")) == "Running(proven)");
        CHECK(where(w, into("staging", "1.0.0")) == r.after);
    }
}

TEST_CASE("an older one at work is passed by when the newer one may go, not while it waits") {
    struct row {
        promotion_state newer;
        bool goes_on;
    };
    const row rows[] = {
        {awaiting_approval, true},
        {held, true},
        {pending, false},
        {running, false},
        {pull_request_open, false},
        {promotion_state::merged, false},
        {promotion_state::cancelled, true},
        {failed, true},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.newer));
        world w = at_work();
        w.tell("dev", healthy("1.1.0", 2));
        w.move("staging", "1.1.0", r.newer);
        const auto d = w.perform(start(w, into("staging", "1.0.0")));
        CHECK((d.what == verdict_on_event::promote) == r.goes_on);
        CHECK(
            where(w, into("staging", "1.0.0")) ==
            (r.goes_on ? "Running(proven)" : "Superseded(newer)")
        );
    }
}

TEST_CASE("what runs in the environment already and is newer ends an older one that begins") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.move("staging", "1.0.0", running); // a report ends only what waits
    w.tell("staging", healthy("2.0.0", 2));
    const auto d = w.perform(start(w, into("staging", "1.0.0")));
    CHECK(d.reason == "staging runs the newer 2.0.0");
    CHECK(where(w, into("staging", "1.0.0")) == "Superseded(newer)");
}
