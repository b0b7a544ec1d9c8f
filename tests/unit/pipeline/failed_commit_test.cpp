#include "tests/unit/pipeline/acting.hpp"

using namespace sluice;
using namespace sluice::pipeline;
using enum sluice::pipeline::promotion_state;

// A commit of the branch that promotions write to, and it fails: so does the release it holds.
namespace {

const std::string first_commit(40, 'a');
const std::string second_commit(40, 'b');

std::string on_main(const std::string& commit) {
    return "main@sha1:" + commit;
}

struct fleet_world : world {
    explicit fleet_world() : world(deployed_from_main()) {
        tell("dev", healthy("1.0.0", 1));
        move("staging", "1.0.0", promotion_state::merged);
    }
    decision last;
    void look_up(const std::string& commit) {
        last = perform(translated(
            *pipeline(),
            records(),
            into("prod", commit),
            shown(into("staging", "1.0.0"), promotion_state::merged),
            at(9)
        ));
    }
    // 1.0.0 is healthy in staging as the first commit, and its pull request into prod is open.
    void open_in_prod() {
        tell("staging", healthy(on_main(first_commit), 2));
        look_up(first_commit);
        perform(begin(*pipeline(), records(), into("prod", "1.0.0")));
        perform(opened(records(), into("prod", "1.0.0"), work_of("c", 1), "opened"));
    }
    [[nodiscard]] std::string prod() const { return where(*this, into("prod", "1.0.0")); }
    [[nodiscard]] std::string staging() const { return where(*this, into("staging", "1.0.0")); }

private:
    static definition deployed_from_main() {
        auto d = make_pipeline();
        pull_request_strategy how;
        how.base_branch = "main";
        d.promotion->strategy.how = how;
        return d;
    }
};

} // namespace

TEST_CASE("a commit that fails holds the promotion of the release it stands for") {
    fleet_world w;
    w.open_in_prod();
    const std::string& failing = GENERATE(first_commit, second_commit);
    CHECK(w.tell("staging", failure(on_main(failing), 3)).what == verdict_on_event::record);
    REQUIRE(where(w, into("prod", failing)) == "Pending(failed-commit)");
    w.look_up(failing);
    CHECK(w.prod() == "PullRequestOpen(evidence)");
    CHECK(w.staging() == "DeployFailed(reported)");
    CHECK(where(w, into("prod", failing)) == "Superseded(translated)");

    w.tell("staging", healthy(on_main(failing), 4));
    REQUIRE(where(w, into("prod", failing)) == "Pending(commit)");
    w.look_up(failing);
    CHECK(w.prod() == "PullRequestOpen(proven)");
    CHECK(w.staging() == "Deployed(reported)");
}

TEST_CASE("a commit that is healthy again before anybody looked withdraws nothing") {
    fleet_world w;
    w.open_in_prod();
    w.tell("staging", failure(on_main(first_commit), 3));
    w.tell("staging", healthy(on_main(first_commit), 4));
    CHECK(where(w, into("prod", first_commit)) == "Pending(commit)");
    w.look_up(first_commit);
    CHECK(w.prod() == "PullRequestOpen(opened)");
}

TEST_CASE("a commit that failed and was replaced before anybody looked is not carried on") {
    fleet_world w;
    w.tell("staging", failure(on_main(first_commit), 2));
    w.tell("staging", failure(on_main(second_commit), 3));
    w.look_up(first_commit);
    CHECK(w.prod() == "-");
}

TEST_CASE("a commit that fails where it was merged is the failure of the release") {
    fleet_world w;
    w.tell("staging", failure(on_main(first_commit), 2));
    REQUIRE(where(w, into("prod", first_commit)) == "Pending(failed-commit)");
    w.look_up(first_commit);
    CHECK(w.staging() == "DeployFailed(reported)");
    CHECK(w.prod() == "-");
    const auto& told = std::get<transition>(w.last.changes.back()).message;
    CHECK_THAT(told, Catch::Contains("1.0.0 failed in staging") && Catch::Contains(first_commit));
}

TEST_CASE("a commit that the last environment reports is the end of its promotion, good or bad") {
    fleet_world w;
    w.open_in_prod();
    w.perform(sluice::pipeline::merged(w.records(), into("prod", "1.0.0"), work_of("c"), "merged"));
    // Any commit of the branch will do, also one that staging reported before.
    const std::string& commit = GENERATE(first_commit, second_commit);
    const auto look_up = [&] {
        REQUIRE(where(w, into("prod", commit)) == "Pending(own-commit)");
        const auto deployed = shown(into("prod", "1.0.0"), promotion_state::merged);
        w.perform(translated(*w.pipeline(), w.records(), into("prod", commit), deployed, at(9)));
        CHECK(where(w, into("prod", commit)) == "Superseded(translated)");
    };
    CHECK(w.tell("prod", healthy(on_main(commit), 5)).what == verdict_on_event::record);
    look_up();
    CHECK(w.prod() == "Deployed(reported)");
    w.tell("prod", failure(on_main(commit), 6));
    look_up();
    CHECK(w.prod() == "DeployFailed(reported)");
    w.tell("prod", healthy(on_main(commit), 7));
    look_up();
    CHECK(w.prod() == "Deployed(reported)");
    CHECK(w.current("prod") == "1.0.0");
    w.tell("prod", healthy(on_main(commit), 8)); // nothing new in it
    CHECK(where(w, into("prod", commit)) == "Superseded(translated)");
}

TEST_CASE("a commit of another repository that the last environment reports goes nowhere") {
    fleet_world w;
    w.open_in_prod();
    w.perform(sluice::pipeline::merged(w.records(), into("prod", "1.0.0"), work_of("c"), "merged"));
    w.tell("prod", healthy(on_main(second_commit), 5));
    w.perform(begin(*w.pipeline(), w.records(), into("prod", second_commit)));
    CHECK(where(w, into("prod", second_commit)) == "Superseded(translated)");
    CHECK(w.prod() == "Merged(merged)");
}

TEST_CASE("a failed commit that nothing depends on is recorded and looked up by nobody") {
    fleet_world w;
    w.move("staging", "1.0.0", promotion_state::deployed);
    const auto d = w.tell("staging", failure(on_main(first_commit), 2));
    CHECK(d.what == verdict_on_event::record);
    CHECK(w.record("prod").attempts.empty());
}

TEST_CASE("a failed commit of another repository is held, as any that failed") {
    fleet_world w;
    w.tell("staging", failure(on_main(first_commit), 2));
    w.perform(begin(*w.pipeline(), w.records(), into("prod", first_commit)));
    CHECK(where(w, into("prod", first_commit)) == "Held(evidence)");
}
