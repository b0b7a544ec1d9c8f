#include "tests/unit/promotion/executor_forge.hpp"

using namespace sluice;
using namespace sluice::tests;

namespace {

const std::string first = "default/podinfo/staging@1.1.0";
const std::string second = "default/podinfo/staging@1.2.0";

} // namespace

TEST_CASE("a pull request is opened, labelled, followed to its merge, and its branch removed") {
    forge_world w;
    w.how.labels = {"promotion"};
    w.begin();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::pull_request_open);
    REQUIRE(p.work.pull_request);
    CHECK(p.work.pull_request->number == 1);
    CHECK(p.message.find(p.work.pull_request->url) != std::string::npos);
    const auto made = w.forge.only();
    CHECK(made.seen.title == "Promote default/podinfo in staging to 1.1.0");
    CHECK(made.seen.body.find("default/podinfo/staging") != std::string::npos);
    CHECK(made.labels == std::vector<std::string>{"promotion"});
    w.forge.merge(1);
    w.reach(first, promotion_state::merged);
    CHECK(eventually([&] { return w.origin.tip(into_staging).empty(); }));
    CHECK(w.staging() == manifest("1.1.0", "default:podinfo:staging"));
}

TEST_CASE("a newer revision rewrites the pull request of the older one") {
    forge_world w;
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.prove("1.2.0");
    w.reach(second, promotion_state::pull_request_open);
    w.reach(first, promotion_state::superseded);
    const auto only = w.forge.only();
    CHECK(only.seen.title == "Promote default/podinfo in staging to 1.2.0");
    CHECK(w.shown(second).work.pull_request->number == 1);
    w.forge.merge(1);
    w.reach(second, promotion_state::merged);
    CHECK(w.shown(first).state == promotion_state::superseded);
}

TEST_CASE(
    "with onNewer: replace the older pull request is closed with a comment and a new one opened"
) {
    forge_world w;
    w.how.on_newer = pipeline::on_newer::replace;
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.prove("1.2.0");
    const auto p = w.reach(second, promotion_state::pull_request_open);
    w.reach(first, promotion_state::superseded);
    CHECK(p.work.pull_request->number == 2);
    const auto all = w.forge.all();
    REQUIRE(all.size() == 2);
    CHECK(all[0].seen.is.state == pull_request_state::closed);
    REQUIRE(all[0].comments.size() == 1);
    CHECK(all[0].comments[0].find("1.2.0") != std::string::npos);
    CHECK(all[1].seen.is.state == pull_request_state::open);
}

TEST_CASE("an older pull request merged just before the newer takes over counts, and the newer "
          "opens its own") {
    forge_world w;
    w.options.poll_every = std::chrono::hours{1};
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    const std::string when = GENERATE("find_open", "disarm", "update");
    CAPTURE(when);
    w.forge.meanwhile(when, [&] {
        // By the commit of the older one, whatever was pushed to the branch since.
        const auto commit = w.shown(first).work.commit;
        const auto now = w.origin.tip(into_staging);
        w.origin.remote_git("update-ref refs/heads/" + into_staging + " " + commit);
        w.forge.merge(1);
        w.origin.remote_git("update-ref refs/heads/" + into_staging + " " + now);
    });
    w.prove("1.2.0");
    const auto newer = w.reach(second, promotion_state::pull_request_open);
    CHECK(newer.work.pull_request->number == 2);
    CHECK(newer.work.base_commit == w.origin.tip("main"));
    const auto body = w.forge.all().at(1).seen.body;
    CHECK_THAT(body.substr(0, body.find('\n')), Catch::Contains("`1.1.0` → **`1.2.0`**"));
    std::vector<std::string> states;
    for (const auto& entry : w.history(first)) states.push_back(entry.state);
    CHECK(std::ranges::count(states, "Merged") == 1);
}

TEST_CASE("a pull request that somebody closes, reopens and merges is Closed, open again and Merged"
) {
    forge_world w;
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.forge.close(1);
    w.reach(first, promotion_state::closed);
    w.forge.reopen(1);
    w.executor->look_again({"default", "podinfo"});
    w.reach(first, promotion_state::pull_request_open);
    w.forge.merge(1);
    w.reach(first, promotion_state::merged);
}

TEST_CASE("a person's commit on our branch is kept, told, and merged as ours") {
    forge_world w;
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.origin.git("fetch -q origin");
    w.origin.git("checkout -q -B extra origin/" + into_staging);
    w.origin.write("README", "more\n");
    const auto extra = w.origin.commit("and more", into_staging);
    CHECK(eventually([&] {
        return w.shown(first).message.find("somebody else") != std::string::npos;
    }));
    CHECK(w.origin.tip(into_staging) == extra);
    w.prove("1.2.0");
    w.reach(second, promotion_state::held);
    CHECK(w.origin.tip(into_staging) == extra);
    w.forge.merge(1);
    w.reach(first, promotion_state::merged);
    w.reach(second, promotion_state::pull_request_open);
}

TEST_CASE("what somebody pushes to our branch between fetch and push is not overwritten") {
    forge_world w;
    std::string theirs;
    w.forge.meanwhile("find_open", [&] {
        w.origin.write("README", "mine\n");
        theirs = w.origin.commit("quicker", into_staging);
    });
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::held);
    CHECK(w.origin.tip(into_staging) == theirs);
}

TEST_CASE("auto-merge waits until the checks are green") {
    forge_world w;
    w.how.auto_merge = pipeline::merge_method::merge;
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.forge.checks_are_green = true;
    w.reach(first, promotion_state::merged);
    CHECK(w.staging() == manifest("1.1.0", "default:podinfo:staging"));
}

TEST_CASE("a cancelled promotion takes its pull request with it") {
    forge_world w;
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.cancel(first);
    CHECK(eventually([&] { return w.forge.only().seen.is.state == pull_request_state::closed; }));
    CHECK(eventually([&] { return w.origin.tip(into_staging).empty(); }));
    CHECK(w.forge.only().comments.size() == 1);
}

TEST_CASE("a forge that stumbles is asked again, and nothing is made twice") {
    forge_world w;
    const std::string call = GENERATE("find_open", "create");
    const bool after = GENERATE(false, true);
    CAPTURE(call, after);
    w.forge.fail(call, {errc::unavailable, "502 from the forge"}, after, 3);
    w.begin();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::pull_request_open);
    CHECK(w.forge.all().size() == 1);
    CHECK(p.work.failures == 0);
    CHECK(w.origin.remote_git("rev-list --count main.." + into_staging) == "1");
}

TEST_CASE(
    "a forge that refuses for good ends the promotion with what to do, and a new Secret revives it"
) {
    forge_world w;
    w.forge.fail("find_open", {errc::unauthenticated, "the token is wrong; renew it"}, false, 1);
    w.begin();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::failed);
    CHECK(p.message == "the token is wrong; renew it");
    w.secrets.set("login", {{"username", "sluice"}, {"password", "p"}, {"token", "new"}});
    w.executor->wake();
    w.reach(first, promotion_state::pull_request_open);
}

TEST_CASE("labels and reviewers that a forge stumbles over are asked for again") {
    forge_world w;
    w.how.labels = {"promotion"};
    w.how.reviewers = {"alice"};
    w.forge.fail("decorate", {errc::unavailable, "503 from the forge"}, false, 1);
    w.begin();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::pull_request_open);
    CHECK(p.message.find("ignored") == std::string::npos);
    CHECK(w.forge.only().labels == w.how.labels);
    CHECK(w.forge.only().reviewers == w.how.reviewers);
}

TEST_CASE("labels that the forge refuses for good are told, and the reviewers asked all the same") {
    forge_world w;
    w.how.labels = {"promotion"};
    w.how.reviewers = {"alice"};
    w.forge.fail("decorate", {errc::unauthenticated, "no labels for bots"}, false, 1);
    w.begin();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::pull_request_open);
    CHECK_THAT(p.message, Catch::Contains("ignored: no labels for bots"));
    CHECK(w.forge.only().labels.empty());
    CHECK(w.forge.only().reviewers == w.how.reviewers);
}

TEST_CASE("one that failed and was opened again keeps the pull request it took over") {
    forge_world w;
    w.forge.fail("find_open", {errc::unauthenticated, "the token is wrong; renew it"}, false, 1);
    w.begin();
    w.prove("1.2.0");
    w.reach(second, promotion_state::failed);
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.secrets.set("login", {{"username", "sluice"}, {"password", "p"}, {"token", "new"}});
    w.executor->wake();
    w.reach(second, promotion_state::pull_request_open);
    w.reach(first, promotion_state::superseded);
    const auto looked = w.forge.times("get");
    CHECK(eventually([&] { return w.forge.times("get") >= looked + 3; }));
    CHECK(w.forge.only().seen.is.state == pull_request_state::open);
    CHECK(w.shown(second).state == promotion_state::pull_request_open);
}
