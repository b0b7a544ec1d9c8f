#include "tests/unit/promotion/executor_fixture.hpp"

#include <thread>

using namespace sluice;
using namespace sluice::tests;

namespace {

const std::string first = "default/podinfo/staging@1.1.0";

void push_straight(executor_world& w) {
    w.set_up();
    pipeline::push_strategy how;
    how.url = w.origin.url();
    how.branch = "main";
    pipeline::strategy s;
    s.how = how;
    w.pipelines.set(three_environments("podinfo", s));
}

// Pipelines app-0, app-1, … that share the repository, each with its marker.
void crowd(executor_world& w, int size, const pipeline::strategy& s) {
    for (int i = 0; i < size; ++i) {
        const auto name = fmt::format("app-{}", i);
        w.origin.write(
            fmt::format("{}/staging.yaml", name),
            manifest("1.0.0", fmt::format("default:{}:staging", name))
        );
        w.pipelines.set(three_environments(name, s));
    }
    w.origin.commit("a crowd");
}

} // namespace

TEST_CASE("the strategy push commits straight to the branch, once") {
    executor_world w;
    push_straight(w);
    w.start();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::merged);
    CHECK(p.work.commit == w.origin.tip("main"));
    CHECK(w.staging() == manifest("1.1.0", "default:podinfo:staging"));
    CHECK(w.origin.remote_git("rev-list --count main") == "2");
}

TEST_CASE("pushes for one branch stand on each other and go out together") {
    executor_world w;
    w.set_up();
    pipeline::push_strategy how;
    how.url = w.origin.url();
    how.branch = "main";
    pipeline::strategy s;
    s.how = how;
    crowd(w, 5, s);
    for (int i = 0; i < 5; ++i) w.prove("1.1.0", "dev", fmt::format("app-{}", i));
    w.start();
    for (int i = 0; i < 5; ++i) {
        const auto name = fmt::format("app-{}", i);
        w.reach(fmt::format("default/{}/staging@1.1.0", name), promotion_state::merged);
        CHECK(
            w.origin.show("main", name + "/staging.yaml") ==
            manifest("1.1.0", fmt::format("default:{}:staging", name))
        );
    }
    CHECK(w.origin.remote_git("rev-list --count main") == "7");
}

TEST_CASE("fifty promotions that wait for one repository share one fetch and one push") {
    executor_world w;
    w.set_up();
    pipeline::pull_request_strategy how;
    how.url = w.origin.url();
    how.base_branch = "main";
    pipeline::strategy s;
    s.how = how;
    crowd(w, 50, s);
    w.options.poll_every = std::chrono::hours{1};
    for (int i = 0; i < 50; ++i) w.prove("1.1.0", "dev", fmt::format("app-{}", i));
    w.start();
    for (int i = 0; i < 50; ++i) {
        const auto id = fmt::format("default/app-{}/staging@1.1.0", i);
        const auto p = w.reach(id, promotion_state::pull_request_open);
        CHECK(w.origin.tip(fmt::format("promotion-default-app-{}-staging", i)) == p.work.commit);
    }
    const auto times = [&](const std::string& what) {
        const std::string name = "sluice_executor_git_total";
        return w.metrics.counter(name, "", {{"what", what}, {"outcome", "done"}}).value();
    };
    CHECK(times("fetch") == 1);
    CHECK(times("push") == 1);
}

TEST_CASE("while people push to the same branch all the time, nothing of theirs or ours is lost") {
    executor_world w;
    push_straight(w);
    w.start();
    constexpr int theirs = 20;
    std::thread person{[&] {
        for (int i = 0; i < theirs; ++i) {
            w.origin.write("notes/" + std::to_string(i), "x");
            const auto push = "push -q origin HEAD:main || (git -C '" + w.origin.work().string() +
                              "' pull -q --rebase origin main && false)";
            w.origin.git("add -A");
            w.origin.git("commit -q -m note");
            (void)eventually([&] {
                return shell(fmt::format("git -C '{}' {}", w.origin.work().string(), push))
                           .status == 0;
            });
        }
    }};
    for (int i = 1; i <= 5; ++i) {
        const auto version = fmt::format("1.{}.0", i);
        w.prove(version);
        w.reach("default/podinfo/staging@" + version, promotion_state::merged);
    }
    person.join();
    CHECK(w.origin.remote_git("rev-list --count main") == std::to_string(1 + theirs + 5));
    CHECK(w.staging() == manifest("1.5.0", "default:podinfo:staging"));
}

TEST_CASE("no marker ends the promotion with the line to add, and adding it lets it go on") {
    executor_world w;
    w.set_up();
    w.origin.write("podinfo/staging.yaml", "spec:\n  version: 1.0.0\n");
    w.origin.commit("without a marker");
    w.start();
    w.prove("1.1.0");
    const auto failed = w.reach(first, promotion_state::failed);
    CHECK(
        failed.message.find(R"(# {"$promotion": "default:podinfo:staging"})") != std::string::npos
    );
    CHECK(failed.message.find(w.origin.url()) != std::string::npos);
    CHECK(failed.message.find("main") != std::string::npos);
    w.origin.write("podinfo/staging.yaml", manifest("1.0.0", "default:podinfo:staging"));
    w.origin.commit("with a marker");
    w.reach(first, promotion_state::pull_request_open);
}

TEST_CASE("a base that changes in the first minutes of a refused push is not overlooked") {
    executor_world w;
    w.options.look_at_failed = std::chrono::seconds{2};
    w.set_up();
    // Somebody has the branch checked out there: it is refused.
    w.origin.remote_git("symbolic-ref HEAD refs/heads/" + into_staging);
    w.origin.remote_git("config core.bare false");
    w.start();
    w.prove("1.1.0");
    const auto refused = w.reach(first, promotion_state::failed);
    REQUIRE(!refused.work.commit.empty());
    w.origin.remote_git("config core.bare true");
    w.origin.write("OWNERS", "ada\n");
    w.origin.commit("what the server wanted");
    w.reach(first, promotion_state::pull_request_open);
}

TEST_CASE("a base that says it already, or says something newer, is left alone") {
    executor_world w;
    w.set_up();
    const std::string there = GENERATE("1.1.0", "2.0.0");
    w.origin.write("podinfo/staging.yaml", manifest(there, "default:podinfo:staging"));
    w.origin.commit("by hand");
    w.start();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::no_change);
    CHECK(p.reason == (there == "2.0.0" ? "newer" : "present"));
    CHECK(w.origin.tip(into_staging).empty());
}

TEST_CASE("a suspended pipeline starts nothing new, and goes on when it is resumed") {
    executor_world w;
    w.set_up();
    w.prove("1.1.0");
    auto d = *w.pipelines.find("default", "podinfo");
    d.suspend = true;
    w.pipelines.set(d);
    crowd(w, 1, d.promotion->strategy);
    w.start();
    w.prove("1.2.0", "dev");
    w.prove("1.1.0", "dev", "app-0");
    // Whoever looked at this one looked at the other, too.
    w.reach("default/app-0/staging@1.1.0", promotion_state::pull_request_open);
    CHECK(w.shown(first).state == promotion_state::pending);
    CHECK(w.origin.tip(into_staging).empty());
    CHECK(eventually([&] { return w.shown(first).message.find("suspended") != std::string::npos; })
    );
    d.suspend = false;
    w.pipelines.set(d);
    w.executor->wake();
    w.reach(first, promotion_state::pull_request_open);
}

TEST_CASE("a promotion whose Pipeline is deleted says so, and goes on when it is back") {
    executor_world w;
    w.set_up();
    w.prove("1.1.0");
    const auto d = *w.pipelines.find("default", "podinfo");
    w.pipelines.remove(d.name);
    w.start();
    CHECK(eventually([&] { return w.shown(first).message.find("is gone") != std::string::npos; }));
    CHECK(w.shown(first).state == promotion_state::pending);
    w.pipelines.set(d);
    w.executor->wake();
    w.reach(first, promotion_state::pull_request_open);
}
