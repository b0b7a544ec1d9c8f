#include "tests/unit/pipeline/acting.hpp"

using namespace sluice;
using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

namespace {

result<decision> merge(const world& w, const std::string& revision) {
    return pipeline::merged(w.records(), into("staging", revision), work_of("c", 7), "merged as c");
}

} // namespace

TEST_CASE("a merge is recorded from any state and is what the environment gets") {
    for (const auto state :
         {pending,
          awaiting_approval,
          held,
          running,
          pull_request_open,
          superseded,
          promotion_state::cancelled,
          closed,
          failed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        w.perform(merge(w, "1.0.0"));
        CHECK(where(w, into("staging", "1.0.0")) == "Merged(merged)");
        CHECK(w.current("staging") == "1.0.0");
    }
}

TEST_CASE("a merge learnt after the report takes nothing back") {
    for (const auto state : {promotion_state::merged, deployed, deploy_failed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", state);
        const auto d = w.perform(merge(w, "1.0.0"));
        CHECK(d.what == verdict_on_event::duplicate);
        REQUIRE(d.changes.size() == 1); // the pull request's new state is still kept
        CHECK(std::get<set_work>(d.changes[0]).work == work_of("c", 7));
    }
}

TEST_CASE("a merge ends older ones that wait or are open, not those merged before") {
    struct row {
        promotion_state older;
        std::string after;
    };
    const row rows[] = {
        {running, "Superseded(newer)"},
        {pull_request_open, "Superseded(newer)"},
        {held, "Superseded(newer)"},
        {promotion_state::merged, "Merged()"},
        {closed, "Closed()"},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.older));
        world w;
        w.tell("dev", healthy("1.0.0", 1));
        w.move("staging", "1.0.0", pull_request_open);
        w.tell("dev", healthy("1.1.0", 2));
        w.move("staging", "1.0.0", r.older);
        w.perform(merge(w, "1.1.0"));
        CHECK(where(w, into("staging", "1.0.0")) == r.after);
        CHECK(w.current("staging") == "1.1.0");
    }
}

TEST_CASE("an older one merged just before the newer takes over is merged, and the newer goes on") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.move("staging", "1.0.0", pull_request_open);
    w.tell("dev", healthy("1.1.0", 2));
    w.perform(begin(*w.pipeline(), w.records(), into("staging", "1.1.0")));
    w.perform(merge(w, "1.0.0"));
    CHECK(w.current("staging") == "1.0.0"); // the newer one has written nothing yet
    CHECK(where(w, into("staging", "1.1.0")) == "Running(proven)");
    w.perform(merge(w, "1.1.0"));
    CHECK(w.current("staging") == "1.1.0");
    CHECK(where(w, into("staging", "1.0.0")) == "Merged(merged)");
}

TEST_CASE("a closed one that is reopened and merged late does not hide what is newer there") {
    world w;
    w.tell("dev", healthy("1.0.0", 1));
    w.move("staging", "1.0.0", closed);
    w.tell("dev", healthy("1.1.0", 2));
    w.perform(merge(w, "1.1.0"));
    w.perform(merge(w, "1.0.0"));
    CHECK(where(w, into("staging", "1.0.0")) == "Merged(merged)");
    CHECK(w.current("staging") == "1.1.0");
    w.tell("staging", healthy("1.1.0", 3));
    CHECK(where(w, into("staging", "1.0.0")) == "Superseded(newer)");
}

TEST_CASE("what was deployed stays what runs until the target reports what was merged after it") {
    world w;
    w.tell("staging", healthy("1.0.0", 1));
    w.tell("dev", healthy("1.1.0", 2));
    w.perform(merge(w, "1.1.0"));
    CHECK(w.current("staging") == "1.0.0");
    // and yet nothing older follows it
    CHECK(w.tell("dev", healthy("1.0.1", 3)).what == verdict_on_event::record);
    w.tell("staging", healthy("1.1.0", 4));
    CHECK(w.current("staging") == "1.1.0");
}

TEST_CASE("a newer revision that was merged and failed in its target does not block a fix of the "
          "older line") {
    const bool ran_before = GENERATE(false, true);
    world w;
    if (ran_before) w.tell("staging", healthy("1.0.0", 0));
    w.tell("dev", healthy("1.1.0", 1));
    w.perform(merge(w, "1.1.0"));
    w.tell("staging", failure("1.1.0", 2));
    w.tell("staging", flux("1.0.0", verdict::rolled_back, 3));
    CHECK(w.state("staging", "1.1.0") == "DeployFailed");
    CHECK(w.tell("dev", healthy("1.0.1", 4)).what == verdict_on_event::promote);
    // what ran before it is still not overtaken by something older
    CHECK(w.tell("dev", healthy("0.9.0", 5)).what == verdict_on_event::record);
    w.move("staging", "1.0.1", promotion_state::cancelled);
    const auto expected = ran_before ? verdict_on_event::record : verdict_on_event::promote;
    CHECK(w.tell("dev", healthy("0.9.1", 6)).what == expected);
}

TEST_CASE("a forgotten promotion that is merged is history, nothing else changes") {
    const world w;
    const auto d = merge(w, "1.0.0");
    REQUIRE(d.has_value());
    REQUIRE(d->changes.size() == 2);
    CHECK(std::get<transition>(d->changes[1]).to == promotion_state::merged);
}
