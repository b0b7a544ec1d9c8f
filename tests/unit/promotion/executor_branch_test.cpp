#include "tests/unit/promotion/executor_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

// The strategy pull-request without a forge: the branch is pushed, people merge it.

TEST_CASE("seconds after dev is healthy a branch for staging is pushed, with one scalar changed") {
    executor_world w;
    w.set_up();
    w.start();
    w.prove("1.1.0");
    const auto p = w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    CHECK(p.work.commit == w.origin.tip(into_staging));
    CHECK(p.work.base_commit == w.origin.tip("main"));
    CHECK(p.work.branch == into_staging);
    CHECK(p.work.replaced == "1.0.0");
    CHECK(
        w.origin.show(into_staging, "podinfo/staging.yaml") ==
        manifest("1.1.0", "default:podinfo:staging")
    );
    CHECK(
        w.origin.remote_git("diff --numstat main " + into_staging) == "1\t1\tpodinfo/staging.yaml"
    );
    CHECK(p.message.find(into_staging) != std::string::npos);
    CHECK(w.executor->health().ok);
}

TEST_CASE("a commit message that shows the diff and the evidence has them where no forge shows them"
) {
    executor_world w;
    pipeline::pull_request_strategy how;
    how.commit_message = "{revision}\n\n{diff}\n{evidence}";
    w.set_up(how);
    w.start();
    w.prove("1.1.0");
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    const auto message = w.origin.remote_git("log -1 --format=%B " + into_staging);
    CHECK_THAT(message, Catch::Contains("+++ b/podinfo/staging.yaml"));
    CHECK_THAT(message, Catch::Contains("podinfo: 1.1.0, "));
}

TEST_CASE("a branch that a person merges is Merged and removed, whatever way it was merged") {
    executor_world w;
    w.set_up();
    w.start();
    w.prove("1.1.0");
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    if (GENERATE(true, false)) {
        w.merge(into_staging);
    } else { // squashed: the commit itself never gets there
        w.origin.write("podinfo/staging.yaml", manifest("1.1.0", "default:podinfo:staging"));
        w.origin.commit("squashed by hand");
    }
    w.reach("default/podinfo/staging@1.1.0", promotion_state::merged);
    CHECK(eventually([&] { return w.origin.tip(into_staging).empty(); }));
}

TEST_CASE("a branch that somebody deletes ends its promotion as Closed") {
    executor_world w;
    w.set_up();
    w.start();
    w.prove("1.1.0");
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    w.origin.git("push -q origin :" + into_staging);
    const auto p = w.reach("default/podinfo/staging@1.1.0", promotion_state::closed);
    CHECK(p.message.find("sluice retry") != std::string::npos);
}

TEST_CASE("a newer revision rewrites the branch of an older one, which is Superseded") {
    executor_world w;
    w.set_up();
    w.start();
    w.prove("1.1.0");
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    w.prove("1.2.0");
    w.reach("default/podinfo/staging@1.2.0", promotion_state::pull_request_open);
    w.reach("default/podinfo/staging@1.1.0", promotion_state::superseded);
    CHECK(
        w.origin.show(into_staging, "podinfo/staging.yaml") ==
        manifest("1.2.0", "default:podinfo:staging")
    );
    CHECK(w.origin.remote_git("rev-list --count main.." + into_staging) == "1");
}

TEST_CASE(
    "an older branch merged just before the newer takes over is Merged, and the newer stands on it"
) {
    executor_world w;
    w.set_up();
    w.options.poll_every = std::chrono::hours{1}; // nobody looks before the newer one does
    w.start();
    w.prove("1.1.0");
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    w.merge(into_staging);
    w.prove("1.2.0");
    const auto newer = w.reach("default/podinfo/staging@1.2.0", promotion_state::pull_request_open);
    CHECK(newer.work.base_commit == w.origin.tip("main"));
    CHECK(newer.work.replaced == "1.1.0");
    std::vector<std::string> states;
    for (const auto& entry : w.history("default/podinfo/staging@1.1.0"))
        states.push_back(entry.state);
    CHECK(std::ranges::count(states, "Merged") == 1);
}

TEST_CASE("a tip that somebody else pushed is never overwritten, and the promotion goes on once it "
          "is gone") {
    executor_world w;
    w.set_up();
    w.origin.git("checkout -q -b theirs");
    w.origin.write("podinfo/staging.yaml", manifest("0.9.0", "default:podinfo:staging"));
    const auto theirs = w.origin.commit("mine, hands off", into_staging);
    w.start();
    w.prove("1.1.0");
    const auto held = w.reach("default/podinfo/staging@1.1.0", promotion_state::held);
    CHECK(held.reason == "branch");
    CHECK(held.message.find(into_staging) != std::string::npos);
    CHECK(w.origin.tip(into_staging) == theirs);
    w.origin.git("push -q origin :" + into_staging);
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
}

TEST_CASE("a branch left behind by Weave is taken over") {
    executor_world w;
    w.set_up();
    w.origin.git("checkout -q -b weave");
    w.origin.write("podinfo/staging.yaml", manifest("1.0.5", "default:podinfo:staging"));
    w.origin.git("add -A");
    sh("GIT_AUTHOR_NAME='Promotion Server' GIT_AUTHOR_EMAIL='' GIT_COMMITTER_NAME='Promotion "
       "Server' "
       "GIT_COMMITTER_EMAIL='' git -C '" +
       w.origin.work().string() + "' commit -q -m 'promoting version'");
    w.origin.git("push -q origin HEAD:refs/heads/" + into_staging);
    w.start();
    w.prove("1.1.0");
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    CHECK(w.origin.remote_git("rev-list --count main.." + into_staging) == "1");
}

TEST_CASE("a cancelled promotion takes its branch with it") {
    executor_world w;
    w.set_up();
    w.start();
    w.prove("1.1.0");
    w.reach("default/podinfo/staging@1.1.0", promotion_state::pull_request_open);
    w.cancel("default/podinfo/staging@1.1.0");
    CHECK(eventually([&] { return w.origin.tip(into_staging).empty(); }));
    CHECK(w.shown("default/podinfo/staging@1.1.0").state == promotion_state::cancelled);
}
