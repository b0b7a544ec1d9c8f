#include "tests/unit/promotion/executor_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

// Environments that are deployed from the branch that promotions write to, and report its commits.
namespace {

const std::string first = "default/podinfo/staging@1.1.0";
const std::string onward = "default/podinfo/prod@1.1.0";

std::string on_main(const std::string& commit) {
    return "main@sha1:" + commit;
}

struct fleet : executor_world {
    explicit fleet(bool manual = false) {
        set_up();
        auto d = *pipelines.find("default", "podinfo");
        d.promotion->manual = manual;
        pipelines.set(d);
        start();
    }
    void merge_into_staging() {
        prove("1.1.0");
        if (pipelines.find("default", "podinfo")->promotion->manual) {
            reach(first, promotion_state::awaiting_approval);
            approve(first);
        }
        reach(first, promotion_state::pull_request_open);
        merge(into_staging);
        reach(first, promotion_state::merged);
    }
    std::string tip() const { return origin.tip("main"); }
    std::string someone_commits() const {
        origin.git("fetch -q origin");
        origin.git("checkout -q -B main origin/main");
        origin.write("README.md", "by anybody\n");
        return origin.commit("by anybody");
    }
    bool reaches_reason(const std::string& id, const std::string& reason) const {
        return eventually([&] { return shown(id).reason == reason; });
    }
};

} // namespace

TEST_CASE(
    "a report of a commit of the branch that promotions write to is translated to what it deploys"
) {
    executor_world w;
    w.set_up();
    w.start();
    w.prove("1.1.0");
    w.reach(first, promotion_state::pull_request_open);
    w.merge(into_staging);
    w.reach(first, promotion_state::merged);
    w.prove("main@sha1:" + w.origin.tip("main"), "staging");
    w.reach("default/podinfo/prod@1.1.0", promotion_state::pull_request_open);
    w.reach(first, promotion_state::deployed);
    CHECK(
        w.origin.show("promotion-default-podinfo-prod", "podinfo/prod.yaml") ==
        manifest("1.1.0", "default:podinfo:prod")
    );
}

TEST_CASE(
    "a commit of that branch from the first environment goes nowhere, so that no loop can start"
) {
    executor_world w;
    w.set_up();
    w.start();
    const auto commit = w.origin.tip("main");
    w.prove("main@sha1:" + commit);
    const auto p = w.reach("default/podinfo/staging@" + commit, promotion_state::superseded);
    CHECK(p.reason == "translated");
    CHECK(w.origin.tip(into_staging).empty());
}

TEST_CASE("a person who approves releases is asked once for each, whatever is committed meanwhile"
) {
    fleet w{/*manual=*/true};
    w.merge_into_staging();
    w.prove(on_main(w.tip()), "staging");
    w.reach(onward, promotion_state::awaiting_approval);
    w.reach(first, promotion_state::deployed);
    const auto other = w.someone_commits();
    w.prove(on_main(other), "staging");
    w.reach("default/podinfo/prod@" + other, promotion_state::superseded);
    CHECK(w.shown(onward).state == promotion_state::awaiting_approval);
    w.approve(onward);
    w.reach(onward, promotion_state::pull_request_open);
    for (const auto& p : *get(w.ledger->list({}))) {
        CAPTURE(p.id.text());
        CHECK(p.state != promotion_state::awaiting_approval);
    }
}

TEST_CASE("nobody is asked to approve a commit of the first environment that goes nowhere") {
    fleet w{/*manual=*/true};
    w.prove(on_main(w.tip()));
    const auto p = w.reach("default/podinfo/staging@" + w.tip(), promotion_state::superseded);
    CHECK(p.reason == "translated");
}

TEST_CASE("a commit of another repository waits for its approval and is then promoted as it is") {
    fleet w{/*manual=*/true};
    const std::string elsewhere(40, 'e');
    const auto id = "default/podinfo/staging@" + elsewhere;
    w.prove(on_main(elsewhere));
    w.reach(id, promotion_state::awaiting_approval);
    w.approve(id);
    w.reach(id, promotion_state::pull_request_open);
}

TEST_CASE("a commit that fails where its release was proven holds the release's pull request") {
    fleet w;
    w.merge_into_staging();
    const auto merge_commit = w.tip();
    w.prove(on_main(merge_commit), "staging");
    w.reach(onward, promotion_state::pull_request_open);
    w.disprove(on_main(merge_commit), "staging");
    CHECK(w.reaches_reason(onward, "evidence"));
    w.reach(first, promotion_state::deploy_failed);
    w.prove(on_main(merge_commit), "staging");
    CHECK(w.reaches_reason(onward, "proven"));
    w.reach(first, promotion_state::deployed);
}

TEST_CASE(
    "a promotion into the last environment is Deployed when a commit that holds it is reported"
) {
    fleet w;
    w.merge_into_staging();
    w.prove(on_main(w.tip()), "staging");
    w.reach(onward, promotion_state::pull_request_open);
    w.merge("promotion-default-podinfo-prod");
    w.reach(onward, promotion_state::merged);
    w.prove(on_main(w.tip()), "prod");
    w.reach(onward, promotion_state::deployed);
    w.disprove(on_main(w.tip()), "prod");
    w.reach(onward, promotion_state::deploy_failed);
}

TEST_CASE("a promotion that lacks a fact the manifests want now does not stop the report") {
    fleet w;
    w.merge_into_staging();
    w.origin.git("fetch -q origin");
    w.origin.git("checkout -q -B main origin/main");
    w.origin.write(
        "podinfo/image.yaml",
        "image: podinfo:1.0.0 # {\"$promotion\": \"default:podinfo:staging:app-version\"}\n"
    );
    w.prove(on_main(w.origin.commit("wants more")), "staging");
    CHECK(w.reaches_reason("default/podinfo/prod@" + w.tip(), "translated"));
}
