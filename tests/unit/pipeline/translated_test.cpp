#include "tests/unit/pipeline/acting.hpp"

using namespace sluice;
using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

namespace {

const std::string first_commit(40, 'a');
const std::string second_commit(40, 'b');

std::string on_main(const std::string& commit) {
    return "main@sha1:" + commit;
}

// Promotions are written to main, and main is what the environments are deployed from.
definition fleet(bool manual = false) {
    auto d = make_pipeline();
    pull_request_strategy how;
    how.base_branch = "main";
    d.promotion->strategy.how = how;
    d.promotion->manual = manual;
    return d;
}

// 1.0.0 was merged into staging, and staging reports the commit it was merged as.
world merged_into_staging(definition pipeline = fleet()) {
    world w{std::move(pipeline)};
    w.tell("dev", healthy("1.0.0", 1));
    w.perform(
        sluice::pipeline::merged(w.records(), into("staging", "1.0.0"), work_of("a"), "merged")
    );
    w.tell("staging", healthy(on_main(first_commit), 2));
    return w;
}

result<decision> translate(const world& w, const std::string& commit, const std::string& release) {
    return translated(
        *w.pipeline(),
        w.records(),
        into("prod", commit),
        shown(into("staging", release), promotion_state::merged),
        at(9)
    );
}

} // namespace

TEST_CASE("a report of a commit is taken for the promotion that the commit holds") {
    auto w = merged_into_staging();
    REQUIRE(where(w, into("prod", first_commit)) == "Pending(commit)");
    const auto d = w.perform(translate(w, first_commit, "1.0.0"));
    CHECK(d.what == verdict_on_event::promote);
    CHECK(d.promotion == into("prod", "1.0.0"));
    CHECK(where(w, into("prod", first_commit)) == "Superseded(translated)");
    CHECK(where(w, into("staging", "1.0.0")) == "Deployed(reported)");
    CHECK(where(w, into("prod", "1.0.0")) == "Pending(proven)");
    CHECK(w.current("staging") == "1.0.0");
    const auto& opened = std::get<open_promotion>(d.changes.back()).promotion;
    CHECK(opened.from_environment == "staging");
    CHECK(opened.first_evidence == at(2));
    CHECK(opened.facts == facts("1.0.0"));
}

TEST_CASE("a commit that holds no promotion is recorded and goes nowhere, however often") {
    const bool manual = GENERATE(false, true);
    world w{fleet(manual)};
    w.tell("dev", healthy(on_main(first_commit), 1));
    const auto id = into("staging", first_commit);
    const auto d = w.perform(translated(*w.pipeline(), w.records(), id, std::nullopt, at(9)));
    CHECK(d.what == verdict_on_event::record);
    CHECK(where(w, id) == "Superseded(translated)");
    CHECK(w.tell("dev", healthy(on_main(first_commit), 3)).what == verdict_on_event::duplicate);
    CHECK(w.record("staging").attempts.size() == 1);
}

TEST_CASE("another commit of the branch does not disturb the promotion that waits for approval") {
    auto w = merged_into_staging(fleet(/*manual=*/true));
    REQUIRE(where(w, into("prod", first_commit)) == "Pending(commit)");
    w.perform(translate(w, first_commit, "1.0.0"));
    REQUIRE(where(w, into("prod", "1.0.0")) == "AwaitingApproval(manual)");
    w.tell("staging", healthy(on_main(second_commit), 5));
    REQUIRE(where(w, into("prod", "1.0.0")) == "AwaitingApproval(manual)");
    SECTION("nor after it was looked up") {
        CHECK(w.perform(translate(w, second_commit, "1.0.0")).what == verdict_on_event::duplicate);
        CHECK(where(w, into("prod", "1.0.0")) == "AwaitingApproval(manual)");
        CHECK(where(w, into("prod", second_commit)) == "Superseded(translated)");
    }
    SECTION("nor the person who approves before it was looked up") {
        w.perform(approve(by(w), w.records(), into("prod", "1.0.0")));
        w.perform(begin(*w.pipeline(), w.records(), into("prod", "1.0.0")));
        w.perform(translate(w, second_commit, "1.0.0"));
        CHECK(where(w, into("prod", "1.0.0")) == "Running(approved)");
    }
}

TEST_CASE("a newer release that travels as a commit takes the place of the one that waits") {
    auto w = merged_into_staging(fleet(/*manual=*/true));
    w.perform(translate(w, first_commit, "1.0.0"));
    w.tell("dev", healthy("1.1.0", 6));
    w.move("staging", "1.1.0", promotion_state::merged);
    w.tell("staging", healthy(on_main(second_commit), 7));
    w.perform(translate(w, second_commit, "1.1.0"));
    CHECK(where(w, into("prod", "1.1.0")) == "AwaitingApproval(manual)");
    CHECK(where(w, into("prod", "1.0.0")) == "Superseded(newer)");
}

TEST_CASE("a commit of another repository asks for approval like any release, and is asked once") {
    world w{fleet(/*manual=*/true)};
    w.tell("dev", healthy(on_main(first_commit), 1));
    const auto first = into("staging", first_commit);
    w.perform(begin(*w.pipeline(), w.records(), first));
    CHECK(where(w, first) == "AwaitingApproval(manual)");
    w.tell("dev", healthy(on_main(second_commit), 2));
    CHECK(where(w, first) == "AwaitingApproval(manual)");
    const auto second = into("staging", second_commit);
    w.perform(begin(*w.pipeline(), w.records(), second));
    CHECK(where(w, first) == "Superseded(newer)");
    w.perform(approve(by(w), w.records(), second));
    w.perform(begin(*w.pipeline(), w.records(), second));
    CHECK(where(w, second) == "Running(approved)");
}

TEST_CASE("another commit of the branch finds the promotion that is already at work") {
    auto w = merged_into_staging();
    w.perform(translate(w, first_commit, "1.0.0"));
    w.perform(begin(*w.pipeline(), w.records(), into("prod", "1.0.0")));
    w.tell("staging", healthy(on_main(second_commit), 5));
    CHECK(w.perform(translate(w, second_commit, "1.0.0")).what == verdict_on_event::duplicate);
    CHECK(where(w, into("prod", "1.0.0")) == "Running(proven)");
}

TEST_CASE("releases that travel as commits keep the order of their versions") {
    auto w = merged_into_staging();
    w.perform(translate(w, first_commit, "1.0.0"));
    w.tell("dev", healthy("1.1.0", 6));
    w.move("staging", "1.1.0", promotion_state::merged);
    w.tell("staging", healthy(on_main(second_commit), 7));
    w.perform(translate(w, second_commit, "1.1.0"));
    CHECK(where(w, into("prod", "1.1.0")) == "Pending(proven)");
    CHECK(where(w, into("prod", "1.0.0")) == "Superseded(newer)");
    CHECK(where(w, into("staging", "1.1.0")) == "Deployed(reported)");
    CHECK(w.current("staging") == "1.1.0");
}

TEST_CASE("what an environment runs keeps its name when a commit of it is reported") {
    auto w = merged_into_staging();
    CHECK(w.current("staging") == "1.0.0");
    w.perform(translate(w, first_commit, "1.0.0"));
    const auto onward = into("prod", "1.0.0");
    w.perform(sluice::pipeline::merged(w.records(), onward, work_of("c"), "merged"));
    w.tell("prod", healthy(on_main(second_commit), 5));
    CHECK(w.current("prod") == "1.0.0");
}

TEST_CASE("a commit whose promotion went another way is not translated") {
    auto w = merged_into_staging();
    w.perform(cancel(by(w), w.records(), into("prod", first_commit)));
    check_refused(translate(w, first_commit, "1.0.0"), errc::conflict, "Cancelled");
    check_refused(translate(w, second_commit, "1.0.0"), errc::conflict, "history");
}
