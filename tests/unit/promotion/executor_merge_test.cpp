#include "tests/unit/promotion/executor_forge.hpp"

using namespace sluice;
using namespace sluice::tests;

namespace {

const std::string first = "default/podinfo/staging@1.1.0";

struct merging_world : forge_world {
    merging_world() { how.auto_merge = pipeline::merge_method::merge; }

    [[nodiscard]] bool is_disarmed(int more) const { return forge.times("disarm") >= more; }
};

} // namespace

TEST_CASE("what fails in dev while its pull request is being opened is not merged by itself") {
    merging_world w;
    w.forge.checks_are_green = true;
    w.forge.meanwhile("create", [&] { w.disprove("1.1.0"); });
    w.begin();
    w.prove("1.1.0");
    const auto p = w.reach(first, promotion_state::pull_request_open);
    CHECK(p.reason == "evidence");
    CHECK(eventually([&] { return w.is_disarmed(3); }));
    CHECK(w.forge.times("merge") == 0);
    w.prove("1.1.0");
    w.reach(first, promotion_state::merged);
}

TEST_CASE("what fails in dev while its checks still run is not merged when they are green") {
    merging_world w;
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.disprove("1.1.0");
    CHECK(eventually([&] { return w.is_disarmed(1); }));
    const auto asked = w.forge.times("merge");
    w.forge.checks_are_green = true;
    CHECK(eventually([&] { return w.is_disarmed(4); }));
    CHECK(w.forge.times("merge") == asked);
    CHECK(w.shown(first).state == promotion_state::pull_request_open);
    w.prove("1.1.0");
    w.reach(first, promotion_state::merged);
}

TEST_CASE("what fails in dev in the moment the merge is asked for is disarmed at once") {
    merging_world w;
    w.options.poll_every = std::chrono::hours{1};
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    CHECK(eventually([&] { return w.forge.times("merge") > 0; }));
    w.forge.meanwhile("merge", [&] { w.disprove("1.1.0"); });
    w.executor->look_again({"default", "podinfo"});
    CHECK(eventually([&] { return w.is_disarmed(1); }));
}

TEST_CASE("a merge that the forge refuses for good is told once, with what to do") {
    merging_world w;
    w.forge.fail("merge", {errc::unauthenticated, "the bot may not merge; allow it"}, false, 5);
    w.begin();
    w.prove("1.1.0");
    const std::string told = "; not merged by itself: the bot may not merge; allow it";
    CHECK(eventually([&] { return w.shown(first).message.ends_with(told); }));
    CHECK(w.shown(first).message.starts_with("the pull request is open: "));
    CHECK(eventually([&] { return w.forge.times("merge") > 5; }));
    CHECK(eventually([&] { return !w.shown(first).message.ends_with(told); }));
    const auto history = w.history(first);
    const auto tells = [&](const auto& entry) { return entry.message.ends_with(told); };
    CHECK(std::ranges::count_if(history, tells) == 1);
    w.forge.checks_are_green = true;
    w.reach(first, promotion_state::merged);
}

TEST_CASE("a merge that Flux reports before anybody looked is noticed, and its branch removed") {
    forge_world w;
    w.options.poll_every = std::chrono::hours{1};
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    const bool is_down = GENERATE(false, true);
    if (is_down) w.executor.reset();
    w.forge.merge(1);
    w.prove("1.1.0", "staging");
    if (is_down) w.start();
    CHECK(eventually([&] { return w.origin.tip(into_staging).empty(); }));
    CHECK(eventually([&] {
        return w.shown(first).work.pull_request->state == pull_request_state::merged;
    }));
    CHECK(w.shown(first).state == promotion_state::deployed);
}

TEST_CASE("without a forge, too, a branch that Flux reports as merged first is removed") {
    executor_world w;
    w.options.poll_every = std::chrono::hours{1};
    w.set_up();
    w.start();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.merge(into_staging);
    w.prove("1.1.0", "staging");
    CHECK(eventually([&] { return w.origin.tip(into_staging).empty(); }));
    CHECK(w.shown(first).state == promotion_state::deployed);
}

TEST_CASE("a pull request that was opened while its promotion was cancelled is closed at once") {
    forge_world w;
    w.options.poll_every = std::chrono::hours{1};
    w.forge.meanwhile("create", [&] { w.cancel(first); });
    w.begin();
    w.prove("1.1.0");
    w.reach(first, promotion_state::cancelled);
    CHECK(eventually([&] {
        const auto all = w.forge.all();
        return !all.empty() && all[0].seen.is.state == pull_request_state::closed;
    }));
}

TEST_CASE("a branch that is merged by hand before its pull request could be made is removed too") {
    forge_world w;
    w.forge.fail("create", {errc::unavailable, "502 from the forge"}, false, 1'000'000);
    w.begin();
    w.prove("1.1.0");
    CHECK(eventually([&] { return !w.origin.tip(into_staging).empty(); }));
    w.merge(into_staging);
    w.reach(first, promotion_state::merged);
    CHECK(w.origin.tip(into_staging).empty()); // before it was recorded, so that no kill leaves it
}
