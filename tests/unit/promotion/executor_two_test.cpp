#include "promotion/failpoints.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/unit/promotion/executor_forge.hpp"
#include "tests/unit/promotion/failpoint_gate.hpp"

#include <regex>
#include <set>

#ifdef SLUICE_WITH_FAILPOINTS

using namespace sluice;
using namespace sluice::tests;

namespace {

const std::string first = "default/podinfo/staging@1.1.0";
const std::string second = "default/podinfo/staging@1.2.0";

struct stop {
    std::string name;
    int nth = 1;
};

// What every promotion passes. It is recorded three times: begun, noted, and what came of it.
const std::vector<stop> steps{
    {"executor.before_record"},
    {"executor.after_record"},
    {"executor.after_begin"},
    {"executor.after_fetch"},
    {"executor.after_patch"},
    {"executor.before_record", 2},
    {"executor.after_record", 2},
    {"executor.after_note_work"},
    {"executor.before_push"},
    {"executor.after_push"},
    {"executor.before_record", 3},
    {"executor.after_record", 3},
};
const std::vector<stop> in_git{
    {"git.before_fetch"}, {"git.after_fetch"}, {"git.before_push"}, {"git.after_push"}
};
const std::vector<stop> while_opened{{"executor.before_open"}, {"executor.after_open"}};
const std::vector<stop> while_made{{"forge.before_create"}, {"forge.after_create"}};
const std::vector<stop> while_labelled{{"forge.before_decorate"}, {"forge.after_decorate"}};
const std::vector<stop> while_rewritten{
    {"forge.before_disarm"}, {"forge.after_disarm"}, {"forge.before_update"}, {"forge.after_update"}
};
const std::vector<stop> while_replaced{{"forge.before_close"}, {"forge.after_close"}};
const std::vector<stop> while_merged{{"forge.before_merge"}, {"forge.after_merge"}};

std::vector<stop> joined(const std::vector<std::vector<stop>>& lists) {
    std::vector<stop> all;
    for (const auto& list : lists) all.insert(all.end(), list.begin(), list.end());
    return all;
}

// Two replicas: one stands still in the middle of a promotion, the other one carries it on.
struct two_executors : forge_world {
    explicit two_executors(const pipeline::pull_request_strategy& strategy = {}) {
        options.poll_every = std::chrono::hours{1}; // who is idle stays idle
        how.labels = {"promotion"};
        how.auto_merge = strategy.auto_merge;
        how.on_newer = strategy.on_newer;
        set_up(how);
    }

    void push_straight() {
        pipeline::push_strategy straight;
        straight.url = origin.url();
        straight.branch = "main";
        pipeline::strategy s;
        s.how = straight;
        pipelines.set(three_environments("podinfo", s));
    }
    void promote_alone(const std::string& revision, const std::string& id) {
        prove(revision);
        start();
        reach(id, promotion_state::pull_request_open);
        executor.reset();
    }

    // The first to come is stopped there, and released once the other one has brought the promotion to that state.
    void race(
        const stop& at, const std::string& revision, const std::string& id, promotion_state until
    ) {
        std::unique_ptr<promotion::executor> one;
        std::unique_ptr<promotion::executor> two;
        failpoint_gate gate{at.name, at.nth}; // after them: they end only when it is open
        prove(revision);
        one = start_another("one");
        REQUIRE(gate.somebody_stands_there());
        two = start_another("two");
        reach(id, until);
        REQUIRE(eventually([&] { return is_idle(*two); }));
        CHECK_FALSE(is_idle(*one));
        gate.release();
        REQUIRE(eventually([&] { return is_idle(*one) && is_idle(*two); }));
    }

    // One branch with one commit on the base, which is the one that is written down; nothing ever failed.
    void check_open(const std::string& id) {
        const auto p = shown(id);
        CAPTURE(p.reason, p.message);
        CHECK(to_string(p.state) == "PullRequestOpen");
        CHECK_FALSE(p.work.commit.empty());
        CHECK(origin.tip(into_staging) == p.work.commit);
        CHECK(origin.remote_git("rev-list --count main.." + into_staging) == "1");
        CHECK(origin.remote_git("for-each-ref --format=x refs/heads") == "x\nx");
        std::vector<std::int64_t> open;
        for (const auto& e : forge.all()) {
            if (e.seen.is.state == pull_request_state::open) open.push_back(e.seen.is.number);
        }
        REQUIRE(p.work.pull_request.has_value());
        CHECK(open == std::vector{p.work.pull_request->number});
        check_nothing_failed(id);
    }
    void check_nothing_failed(const std::string& id) {
        for (const auto& entry : history(id)) {
            CAPTURE(entry.message);
            CHECK(entry.state != "Failed");
            CHECK(entry.state != "Held");
        }
    }

private:
    static bool is_idle(const promotion::executor& e) {
        return e.health().message.ends_with(" 0 repositories at work");
    }
};

std::set<std::string> failpoints_in_the_sources() {
    const std::regex call{R"re(failpoint\("([a-z._]+)"\))re"};
    std::set<std::string> found;
    for (const auto& file :
         std::filesystem::recursive_directory_iterator{source_tree() / "promotion"}) {
        if (file.path().extension() != ".cpp") continue;
        std::ifstream in{file.path()};
        for (std::string line; std::getline(in, line);) {
            std::smatch at;
            if (std::regex_search(line, at, call)) found.insert(at[1]);
        }
    }
    return found;
}

} // namespace

TEST_CASE("whatever step a replica hangs at, the other one opens the pull request, and it is one") {
    for (const auto& at : joined({steps, in_git, while_opened, while_made, while_labelled})) {
        CAPTURE(at.name, at.nth);
        two_executors w;
        w.race(at, "1.1.0", first, promotion_state::pull_request_open);
        w.check_open(first);
        CHECK(w.forge.all().size() == 1);
    }
}

TEST_CASE("a replica that hangs while a newer version takes over does not bring the older one back"
) {
    for (const auto& at : joined({steps, while_opened, while_rewritten})) {
        CAPTURE(at.name, at.nth);
        two_executors w;
        w.promote_alone("1.1.0", first);
        w.race(at, "1.2.0", second, promotion_state::pull_request_open);
        w.check_open(second);
        CHECK(w.forge.only().seen.title == "Promote default/podinfo in staging to 1.2.0");
        CHECK(to_string(w.shown(first).state) == "Superseded");
    }
}

TEST_CASE("a replica that hangs while a pull request is replaced closes only the older one") {
    pipeline::pull_request_strategy replace;
    replace.on_newer = pipeline::on_newer::replace;
    for (const auto& at : joined({steps, while_opened, while_made, while_replaced})) {
        CAPTURE(at.name, at.nth);
        two_executors w{replace};
        w.promote_alone("1.1.0", first);
        w.race(at, "1.2.0", second, promotion_state::pull_request_open);
        w.check_open(second);
        const auto all = w.forge.all();
        REQUIRE(all.size() == 2);
        CHECK(all[0].seen.is.state == pull_request_state::closed);
        CHECK(to_string(w.shown(first).state) == "Superseded");
    }
}

TEST_CASE("a replica that hangs while it merges leaves one merge, whoever writes it down") {
    pipeline::pull_request_strategy merging;
    merging.auto_merge = pipeline::merge_method::merge;
    for (const auto& at : while_merged) {
        CAPTURE(at.name);
        two_executors w{merging};
        w.forge.checks_are_green = true;
        w.race(at, "1.1.0", first, promotion_state::merged);
        CHECK(to_string(w.shown(first).state) == "Merged");
        CHECK(w.forge.only().seen.is.state == pull_request_state::merged);
        CHECK(w.staging() == manifest("1.1.0", "default:podinfo:staging"));
        CHECK(w.origin.remote_git("rev-list --count --no-merges main") == "2"); // begin, ours
        CHECK(w.origin.tip(into_staging).empty());
        w.check_nothing_failed(first);
    }
}

TEST_CASE("a replica that hangs while it commits straight to the branch leaves one commit there") {
    for (const auto& at : joined({steps, in_git})) {
        CAPTURE(at.name, at.nth);
        two_executors w;
        w.push_straight();
        w.race(at, "1.1.0", first, promotion_state::merged);
        const auto p = w.shown(first);
        CHECK(to_string(p.state) == "Merged");
        CHECK(w.origin.tip("main") == p.work.commit);
        CHECK(w.origin.remote_git("rev-list --count main") == "2"); // begin, ours
        CHECK(w.origin.remote_git("for-each-ref --format=x refs/heads") == "x");
        w.check_nothing_failed(first);
    }
}

TEST_CASE("no failpoint of promotion is left out of the races") {
    std::set<std::string> raced{"executor.before_notify", "executor.after_notify"};
    const auto all = joined(
        {steps,
         in_git,
         while_opened,
         while_made,
         while_labelled,
         while_rewritten,
         while_replaced,
         while_merged}
    );
    for (const auto& at : all) raced.insert(at.name);
    CHECK(raced == failpoints_in_the_sources());
    for (const auto name : promotion::executor_failpoints) {
        CHECK(raced.contains(std::string{name}));
    }
}

#endif
