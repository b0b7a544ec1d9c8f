#include "promotion/backoff.hpp"
#include "promotion/memory.hpp"
#include "promotion/schedule.hpp"
#include "promotion/strategies/merging.hpp"
#include "promotion/strategies/push.hpp"
#include "tests/support/catch.hpp"

using namespace sluice;
using namespace sluice::promotion;
using namespace std::chrono_literals;
using pipeline::promotion_state;

namespace {

const time_point noon{std::chrono::milliseconds{1'790'000'000'000}};

pipeline::promotion standing(promotion_state state, std::string reason = "") {
    pipeline::promotion p;
    p.id = {{"default", "podinfo"}, "prod", "1.1.0"};
    p.state = state;
    p.reason = std::move(reason);
    p.created_at = noon;
    p.updated_at = noon;
    return p;
}

pipeline::definition_ptr
defined(const std::string& name, const std::string& url, std::string secret) {
    pipeline::definition d;
    d.name = {"default", name};
    d.environments.push_back({});
    d.environments.back().name = "prod";
    d.promotion.emplace();
    pipeline::pull_request_strategy how;
    how.url = url;
    how.base_branch = "main";
    how.secret = std::move(secret);
    d.promotion->strategy.how = how;
    return std::make_shared<const pipeline::definition>(std::move(d));
}

task to_do(
    const std::string& name, const std::string& url, duty what, const std::string& secret = "s"
) {
    auto p = standing(promotion_state::pending);
    p.id.pipeline.name = name;
    auto t = make_task(std::move(p), defined(name, url, secret));
    t->what = what;
    return *t;
}

} // namespace

TEST_CASE("a retry waits twice as long each time, at random, and never shorter than it was asked to"
) {
    const retry_rule rule{2s, 300s};
    CHECK(retry_delay(rule, 0, 1.0) == 2s);
    CHECK(retry_delay(rule, 3, 1.0) == 16s);
    CHECK(retry_delay(rule, 3, 0.5) == 8s);
    CHECK(retry_delay(rule, 3, 0.0) == 0s);
    CHECK(retry_delay(rule, 1'000'000, 1.0) == 300s);
    CHECK(retry_delay(rule, 0, 0.0, 60s) == 60s);
    CHECK(retry_delay(rule, 0, 1.0, 60s) >= 60s);
}

TEST_CASE("only what may work later unchanged is tried again") {
    for (const auto code : {errc::unavailable, errc::timed_out, errc::too_many_requests}) {
        CHECK(is_transient(code));
    }
    for (const auto code :
         {errc::unprocessable, errc::unauthenticated, errc::not_found, errc::conflict}) {
        CHECK_FALSE(is_transient(code));
    }
}

TEST_CASE("what there is to do follows from the state") {
    auto pushed = [](promotion_state state) {
        auto p = standing(state);
        p.work.commit = "c0ffee";
        p.work.branch = "promotion-default-podinfo-prod";
        return p;
    };
    CHECK(duty_of(standing(promotion_state::pending)) == duty::carry);
    CHECK(duty_of(standing(promotion_state::running)) == duty::carry);
    CHECK(duty_of(standing(promotion_state::awaiting_approval)) == duty::none);
    CHECK(duty_of(standing(promotion_state::held, "evidence")) == duty::none);
    CHECK(duty_of(standing(promotion_state::held, "branch")) == duty::revive);
    CHECK(duty_of(standing(promotion_state::pull_request_open)) == duty::follow);
    CHECK(duty_of(standing(promotion_state::failed)) == duty::revive);
    CHECK(duty_of(standing(promotion_state::merged)) == duty::none);
    CHECK(duty_of(pushed(promotion_state::closed)) == duty::follow);
    CHECK(duty_of(pushed(promotion_state::cancelled)) == duty::tidy);
    CHECK(duty_of(standing(promotion_state::cancelled)) == duty::none);
    auto closed = pushed(promotion_state::cancelled);
    closed.work.pull_request.emplace();
    closed.work.pull_request->state = pipeline::pull_request_state::closed;
    CHECK(duty_of(closed) == duty::none);
    // Flux reported it before its pull request was looked at.
    for (const auto state : {promotion_state::deployed, promotion_state::deploy_failed}) {
        auto reported = pushed(state);
        CHECK(duty_of(reported) == duty::follow);
        reported.work.pull_request.emplace();
        CHECK(duty_of(reported) == duty::follow);
        reported.work.pull_request->state = pipeline::pull_request_state::merged;
        CHECK(duty_of(reported) == duty::none);
    }
}

TEST_CASE("the base branch that a push went to is never tidied away") {
    auto p = standing(promotion_state::cancelled);
    p.work.commit = "c0ffee";
    p.work.branch = "main";
    p.work.base_branch = "main";
    CHECK(duty_of(p) == duty::none);
    p.state = promotion_state::deployed;
    CHECK(duty_of(p) == duty::none);
}

TEST_CASE("a promotion is due when it is new, when its retry comes, or when its look is over") {
    const pace how{30s, 300s, 300s, 1s, std::chrono::hours{24}};
    auto p = standing(promotion_state::pending);
    CHECK(due_at(p, std::nullopt, how, noon) == noon);
    p.retry_at = noon + 8s;
    CHECK(due_at(p, std::nullopt, how, noon) == noon + 8s);
    p.retry_at.reset();
    // A run that could write nothing down does not start again at once.
    CHECK(due_at(p, look{noon + 1s}, how, noon + 1s) == noon + 2s);

    const auto open = standing(promotion_state::pull_request_open);
    CHECK(due_at(open, std::nullopt, how, noon) == noon);
    const auto next = *due_at(open, look{noon}, how, noon);
    CHECK(next >= noon + 30s);
    CHECK(next <= noon + 33s);
    CHECK(*due_at(open, look{noon, 2}, how, noon) >= noon + 120s);
    // Somebody wrote to it since.
    CHECK(due_at(open, look{noon - 1s}, how, noon) == noon);
}

TEST_CASE("what was cancelled while it was carried is tidied at once, not at the next poll") {
    auto p = standing(promotion_state::cancelled);
    p.work.commit = "c0ffee";
    p.work.branch = "promotion-default-podinfo-prod";
    look last{noon + 1s};
    CHECK(due_at(p, last, {}, noon + 1s) > noon + 1s);
    last.carried = true;
    CHECK(due_at(p, last, {}, noon + 1s) == noon);
}

TEST_CASE("what the forge tells while the repository is at work is looked at afterwards") {
    const auto p = standing(promotion_state::pull_request_open);
    memory m;
    m.looked(p.id, noon, noon, false);
    REQUIRE(m.last_look(p.id));
    m.was_told_of(p.id.pipeline, noon + 2s);
    CHECK_FALSE(m.last_look(p.id));
    m.looked(p.id, noon + 1s, noon + 3s, false);
    CHECK_FALSE(m.last_look(p.id));
    m.looked(p.id, noon + 4s, noon + 4s, false);
    CHECK(m.last_look(p.id)->at == noon + 4s);
}

TEST_CASE("a repository is the same with and without its ending, and no other") {
    pipeline::promotion_work work;
    work.repository = "https://git.example.com/org/fleet";
    work.base_branch = "main";
    destination to;
    to.branch = "main";
    for (const auto* url :
         {"https://bot:p@git.example.com/org/fleet", "https://git.example.com/org/fleet.git/"}) {
        to.url = url;
        CHECK(is_here(work, to));
    }
    to.branch = "release";
    CHECK(in_same_repository(work, to));
    CHECK_FALSE(is_here(work, to));
    to.url = "https://git.example.com/org/other";
    CHECK_FALSE(in_same_repository(work, to));
}

TEST_CASE("why a merge was refused stands behind the message once, and goes when it is over") {
    const std::string open = "the pull request is open: https://forge/1";
    const auto told = with_refusal(open, "allow it");
    CHECK(told == open + "; not merged by itself: allow it");
    CHECK(with_refusal(told, "allow it") == told);
    CHECK(with_refusal(told, "") == open);
}

TEST_CASE("a closed pull request is looked at for a day, a waiting approval never") {
    const pace how;
    auto closed = standing(promotion_state::closed);
    closed.work.branch = "promotion-default-podinfo-prod";
    CHECK(due_at(closed, std::nullopt, how, noon + 23h).has_value());
    CHECK_FALSE(due_at(closed, std::nullopt, how, noon + 25h).has_value());
    CHECK_FALSE(
        due_at(standing(promotion_state::awaiting_approval), std::nullopt, how, noon).has_value()
    );
}

TEST_CASE("promotions of one repository and credential go together, others beside them") {
    std::vector<task> due;
    due.push_back(to_do("a", "https://git/one", duty::carry));
    due.push_back(to_do("b", "https://git/two", duty::carry));
    due.push_back(to_do("c", "https://git/one", duty::carry));
    due.push_back(to_do("d", "https://git/one", duty::carry, "another"));
    const auto plans = plan_lanes(due, {}, {});
    REQUIRE(plans.size() == 3);
    CHECK(plans[0].batch.size() == 2);
    CHECK(plans[1].batch.size() == 1);
    CHECK(plans[2].batch.size() == 1);

    CHECK(plan_lanes(due, {plans[0].lane}, {}).size() == 2);
    lane_limits one;
    one.lanes = 1;
    CHECK(plan_lanes(due, {}, one).size() == 1);
}

TEST_CASE("a crowd of open pull requests does not keep the next promotion waiting") {
    std::vector<task> due;
    for (int i = 0; i < 40; ++i)
        due.push_back(to_do("p" + std::to_string(i), "https://git/one", duty::follow));
    due.push_back(to_do("new", "https://git/one", duty::carry));
    const auto plans = plan_lanes(due, {}, {});
    REQUIRE(plans.size() == 1);
    CHECK(plans[0].batch.size() == 17);
    CHECK(plans[0].batch.back().promotion.id.pipeline.name == "new");
}

TEST_CASE("the merged head commit tells which promotion was merged") {
    auto older = standing(promotion_state::superseded);
    older.id.revision = "1.0.5";
    older.work.commit = "aaa";
    auto newer = standing(promotion_state::pull_request_open);
    newer.work.commit = "bbb";
    CHECK(carried_by("bbb", newer, {older}).id == newer.id);
    CHECK(carried_by("aaa", newer, {older}).id == older.id);
    CHECK(carried_by("ccc", newer, {older}).id == newer.id); // a person added a commit
    CHECK(carried_by("", newer, {older}).id == newer.id);
}

TEST_CASE("a commit that went another way before the push takes those on top of it back") {
    std::vector<job> jobs(3);
    auto p = standing(promotion_state::running);
    pipeline::definition d = *defined("a", "https://git/one", "s");
    pipeline::push_strategy how;
    how.url = "https://git/one";
    how.branch = "main";
    d.promotion->strategy.how = how;
    const auto shared = std::make_shared<const pipeline::definition>(d);
    for (auto& j : jobs) {
        p.id.pipeline = shared->name;
        j.t = *make_task(p, shared);
        j.branch = "main";
        j.found = finding::to_push;
    }
    jobs[1].stage = stage::done;
    restack(jobs);
    CHECK(jobs[0].stage == stage::on_its_way);
    CHECK(jobs[2].stage == stage::again);
}

TEST_CASE("a URL is told without the login it may hold") {
    CHECK(
        without_login("https://user:pass@git.example.com/org/fleet") ==
        "https://git.example.com/org/fleet"
    );
    CHECK(
        without_login("https://git.example.com/org/fleet@2") ==
        "https://git.example.com/org/fleet@2"
    );
    CHECK(without_login("file:///srv/fleet.git") == "file:///srv/fleet.git");
}
