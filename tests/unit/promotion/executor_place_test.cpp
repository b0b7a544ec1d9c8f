#include "tests/unit/promotion/executor_forge.hpp"

using namespace sluice;
using namespace sluice::tests;

// The Pipeline names another place than it did when the pull request was opened.

namespace {

const std::string first = "default/podinfo/staging@1.1.0";
const std::string second = "default/podinfo/staging@1.2.0";

struct two_repositories : forge_world {
    git_origin other{folder, "other"};
    small_forge elsewhere{other};

    two_repositories() {
        options.make_forge = [this](const auto& c, const auto& strategy, auto login) {
            auto& which = strategy.url == other.url() ? elsewhere : forge;
            return which.maker()(c, strategy, login);
        };
        other.write("staging.yaml", manifest("1.0.0", "default:podinfo:staging"));
        other.write("app.yaml", manifest("1.0.0", "default:app:staging"));
        other.commit("begin");
    }
    void open_first() {
        begin();
        prove("1.1.0");
        reach(first, promotion_state::pull_request_open);
    }
    void strategy(const std::function<void(pipeline::pull_request_strategy&)>& change) {
        rewrite([&](pipeline::definition& d) {
            change(std::get<pipeline::pull_request_strategy>(d.promotion->strategy.how));
        });
    }
    void move_away() {
        strategy([&](auto& chosen) { chosen.url = other.url(); });
    }
};

} // namespace

TEST_CASE("a stranger's merged pull request of the same number does not make ours Merged") {
    two_repositories w;
    w.elsewhere.add("theirs", pull_request_state::merged);
    w.open_first();
    w.move_away();
    CHECK(eventually([&] {
        return w.shown(first).message.find("not followed") != std::string::npos;
    }));
    CHECK(w.shown(first).state == promotion_state::pull_request_open);
    CHECK(w.elsewhere.times("get") == 0);
    w.strategy([&](auto& how) { how.url = w.origin.url(); });
    w.forge.merge(1);
    w.reach(first, promotion_state::merged);
}

TEST_CASE("cancelling closes no stranger's pull request of the same number") {
    two_repositories w;
    w.elsewhere.add("theirs", pull_request_state::open);
    w.open_first();
    w.move_away();
    auto neighbour = *w.pipelines.find("default", "podinfo");
    neighbour.name.name = "app";
    neighbour.app.name = "app";
    for (auto& environment : neighbour.environments) environment.targets.front().ns = "app";
    w.pipelines.set(std::move(neighbour));
    w.cancel(first);
    for (const auto* version :
         {"2.1.0", "2.2.0"}) { // once the second is open, the run that looked is over
        w.prove(version, "dev", "app");
        w.reach(std::string{"default/app/staging@"} + version, promotion_state::pull_request_open);
    }
    const auto theirs = w.elsewhere.all().at(0);
    CHECK(theirs.seen.is.state == pull_request_state::open);
    CHECK(theirs.comments.empty());
    CHECK(w.forge.only().seen.is.state == pull_request_state::open);
}

TEST_CASE("one that is tried again after the Pipeline moved begins anew in the other repository") {
    two_repositories w;
    w.elsewhere.add("theirs", pull_request_state::merged);
    w.how.labels = {"promotion"};
    w.forge.fail("decorate", {errc::unavailable, "503 from the forge"}, false, 1'000);
    w.begin();
    w.prove("1.1.0");
    CHECK(eventually([&] { return w.shown(first).work.pull_request.has_value(); }));
    w.move_away();
    const auto p = w.reach(first, promotion_state::pull_request_open);
    CHECK(p.work.repository == w.other.url());
    CHECK(p.work.pull_request->number == 2);
    CHECK(p.work.commit == w.other.tip(into_staging));
}

TEST_CASE("when the base branch changes, the newer promotion leaves one live pull request") {
    two_repositories w;
    w.open_first();
    w.origin.remote_git("branch release main");
    w.strategy([](auto& how) { how.base_branch = "release"; });
    w.prove("1.2.0");
    const auto p = w.reach(second, promotion_state::pull_request_open);
    CHECK(p.work.pull_request->number == 2);
    const auto all = w.forge.all();
    REQUIRE(all.size() == 2);
    CHECK(all[0].seen.is.state == pull_request_state::closed);
    CHECK(all[1].base == "release");
    w.reach(first, promotion_state::superseded);
}
