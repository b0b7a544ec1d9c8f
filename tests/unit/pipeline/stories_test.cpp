#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

// What happens to people, told as sequences of events.
using namespace sluice;
using namespace sluice::pipeline;

namespace {

using enum verdict_on_event;

definition two_clusters() {
    auto d = make_pipeline();
    d.environments[0].targets = {on("podinfo", "east"), on("podinfo", "west")};
    return d;
}

deployment_event east(deployment_event e) {
    return from_cluster("east", std::move(e));
}
deployment_event west(deployment_event e) {
    return from_cluster("west", std::move(e));
}

} // namespace

TEST_CASE("story: a version travels from dev over staging to prod") {
    world w;
    CHECK(w.tell("dev", healthy("6.1.8", 0)).what == promote);
    w.move("staging", "6.1.8", promotion_state::merged);
    CHECK(w.tell("staging", healthy("6.1.8", 60)).what == promote);
    CHECK(w.state("staging", "6.1.8") == "Deployed");
    w.move("prod", "6.1.8", promotion_state::merged);
    const auto last = w.tell("prod", healthy("6.1.8", 120));
    CHECK(last.what == record);
    CHECK(last.reason == "6.1.8 is healthy in prod, the last environment");
    CHECK(w.state("prod", "6.1.8") == "Deployed");
    CHECK(w.current("prod") == "6.1.8");
}

TEST_CASE("story: a newer version while an older one waits for approval") {
    auto d = make_pipeline();
    d.promotion->manual = true;
    world w{d};
    CHECK(w.tell("dev", healthy("1.0.0", 0)).what == await_approval);
    CHECK(w.tell("dev", healthy("1.1.0", 60)).what == await_approval);
    CHECK(w.state("staging", "1.0.0") == "Superseded");
    CHECK(w.state("staging", "1.1.0") == "AwaitingApproval");
    // dev goes back to the older one: the newer one keeps its place
    CHECK(w.tell("dev", healthy("1.0.0", 120)).what == duplicate);
    CHECK(w.state("staging", "1.1.0") == "AwaitingApproval");
}

TEST_CASE("story: an upgrade fails and Flux rolls back") {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::merged);
    w.tell("staging", healthy("1.0.0", 10));

    CHECK(w.tell("dev", failure("1.1.0", 60)).what == record);
    CHECK(w.tell("dev", flux("1.0.0", verdict::rolled_back, 61)).what == record);
    CHECK(w.state("staging", "1.1.0") == "-");
    CHECK(w.current("dev") == "1.0.0");
    CHECK(w.state("staging", "1.0.0") == "Deployed");

    // the fixed chart keeps its version and succeeds
    CHECK(w.tell("dev", healthy("1.1.0", 120)).what == promote);
}

TEST_CASE("story: the upgrade in the target fails, Flux rolls back there, and a fix follows") {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::merged);
    w.tell("staging", healthy("1.0.0", 1));
    w.tell("dev", healthy("1.1.0", 60));
    w.move(
        "staging", "1.1.0", promotion_state::pull_request_open
    ); // merged, but the poll has not seen it
    CHECK(w.tell("staging", failure("1.1.0", 90)).what == record);
    CHECK(w.state("staging", "1.1.0") == "DeployFailed");
    CHECK(w.tell("staging", flux("1.0.0", verdict::rolled_back, 91)).what == record);
    CHECK(w.current("staging") == "1.0.0");
    CHECK(w.state("prod", "1.1.0") == "-");
    CHECK(w.tell("dev", healthy("1.1.1", 200)).what == promote);
    // Flux tries 1.1.0 once more and it works: a fact is a fact
    w.tell("staging", healthy("1.1.0", 210));
    CHECK(w.state("staging", "1.1.0") == "Deployed");
    CHECK(w.state("staging", "1.1.1") == "Pending");
}

TEST_CASE("story: two targets report in the same instant") {
    world w{two_clusters()};
    const auto first = w.tell("dev", east(healthy("1.0.0", 10)));
    CHECK(first.what == record);
    CHECK(
        first.reason ==
        "1.0.0 is healthy in 1 of 2 targets of dev; still missing: podinfo on flux-system/west"
    );
    CHECK(w.tell("dev", west(healthy("1.0.0", 10))).what == promote);
    CHECK(w.tell("dev", east(healthy("1.0.0", 10))).what == duplicate);
}

TEST_CASE("story: of two targets one fails") {
    world w{two_clusters()};
    w.tell("dev", west(failure("1.0.0", 10)));
    const auto d = w.tell("dev", east(healthy("1.0.0", 10)));
    CHECK(d.what == record);
    CHECK(d.reason == "1.0.0 is healthy in dev, but it failed in podinfo on flux-system/west");
    CHECK(w.state("staging", "1.0.0") == "-");
    CHECK(w.tell("dev", west(healthy("1.0.0", 70))).what == promote);
}

TEST_CASE("story: of two targets one flaps") {
    world w{two_clusters()};
    w.tell("dev", east(healthy("1.0.0", 10)));
    w.tell("dev", west(healthy("1.0.0", 11)));
    for (int t = 20; t < 100; t += 20) {
        w.tell("dev", west(failure("1.0.0", t)));
        CHECK(w.state("staging", "1.0.0") == "Held(evidence)");
        CHECK(
            w.tell("dev", east(healthy("1.0.0", t + 5))).what == record
        ); // the good one does not lift the hold
        CHECK(w.state("staging", "1.0.0") == "Held(evidence)");
        CHECK(w.tell("dev", west(healthy("1.0.0", t + 10))).what == promote);
        CHECK(w.state("staging", "1.0.0") == "Pending");
    }
    CHECK(w.record("staging").attempts.size() == 1);
}

TEST_CASE("story: where any target will do, the failing one does not hold the others up") {
    auto d = two_clusters();
    d.environments[0].required = required_targets::any;
    world w{d};
    CHECK(w.tell("dev", east(healthy("1.0.0", 10))).what == promote);
    w.tell("dev", west(failure("1.0.0", 20)));
    CHECK(w.state("staging", "1.0.0") == "Pending");
    w.tell("dev", east(failure("1.0.0", 30)));
    CHECK(w.state("staging", "1.0.0") == "Held(evidence)");
}

TEST_CASE("story: where any target will do, one that proves a version keeps it Deployed") {
    auto d = make_pipeline();
    d.environments[1].targets = {on("podinfo", "east"), on("podinfo", "west")};
    d.environments[1].required = required_targets::any;
    world w{d};
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::merged);
    w.tell("staging", east(healthy("1.0.0", 10)));
    w.tell("staging", west(failure("1.0.0", 20)));
    CHECK(w.state("staging", "1.0.0") == "Deployed");
    w.tell("staging", east(failure("1.0.0", 30)));
    CHECK(w.state("staging", "1.0.0") == "DeployFailed");
}

TEST_CASE("story: two versions side by side do not make the older one current again") {
    auto d = two_clusters();
    d.environments[0].required = required_targets::any;
    world w{d};
    w.tell("dev", west(healthy("1.0.0", 10)));
    w.tell("dev", east(healthy("1.1.0", 20)));
    w.tell("dev", west(healthy("1.0.0", 30)));
    CHECK(w.current("dev") == "1.1.0");
    w.tell("dev", east(healthy("1.0.0", 40))); // both went back
    CHECK(w.current("dev") == "1.0.0");
}

TEST_CASE("story: a Kustomization reports the same revision every ten minutes") {
    auto d = make_pipeline();
    d.app = {"kustomize.toolkit.fluxcd.io", "Kustomization", "podinfo"};
    world w{d};
    const auto report = [&](const char* hex, int t) {
        auto e = healthy("main@sha1:" + std::string(40, hex[0]), t);
        e.object->api_version = "kustomize.toolkit.fluxcd.io/v1";
        e.object->kind = "Kustomization";
        return w.tell("dev", e).what;
    };
    CHECK(report("a", 0) == promote);
    for (int t = 600; t < 6000; t += 600) CHECK(report("a", t) == duplicate);
    CHECK(report("b", 6000) == promote);
    CHECK(w.state("staging", std::string(40, 'a')) == "Superseded");
    for (int t = 6600; t < 9000; t += 600) CHECK(report("b", t) == duplicate);
    CHECK(w.record("staging").attempts.size() == 2);
}

TEST_CASE("story: the old revision reports once more between merge and deployment") {
    world w;
    const std::string a(40, 'a');
    const std::string b(40, 'b');
    w.tell("staging", healthy(a, 0)); // what ran before Sluice came
    w.tell("dev", healthy(b, 10));
    w.move("staging", b, promotion_state::merged);
    w.tell("staging", healthy(a, 20));
    CHECK(w.state("staging", b) == "Merged");
    w.tell("staging", healthy(b, 30));
    CHECK(w.state("staging", b) == "Deployed");
}

TEST_CASE("story: an old event is delivered late") {
    world w;
    w.tell("dev", healthy("1.1.0", 60));
    const auto before = w.records();
    const auto late = w.tell("dev", healthy("1.0.0", 0));
    CHECK(late.what == record);
    CHECK(w.tell("dev", failure("1.1.0", 30)).what == record);
    CHECK(w.records() == before);
}

TEST_CASE("story: CI triggers the first environment, then Flux reports from it") {
    world w;
    const auto asked = w.tell("dev", trigger_into("1.0.0", 0));
    CHECK(asked.what == promote);
    CHECK(asked.reason == "a trigger asks for 1.0.0 in dev; it is promoted into dev");
    CHECK(w.state("dev", "1.0.0") == "Pending");
    CHECK(w.state("staging", "1.0.0") == "-"); // asking is no proof
    CHECK(w.tell("dev", trigger_into("1.0.0", 1)).what == duplicate);

    w.move("dev", "1.0.0", promotion_state::merged);
    CHECK(w.tell("dev", healthy("1.0.0", 60)).what == promote);
    CHECK(w.state("dev", "1.0.0") == "Deployed");
    CHECK(w.state("staging", "1.0.0") == "Pending");

    CHECK(w.tell("dev", trigger_into("0.9.0", 90)).what == record); // older than what runs there
    CHECK(
        w.tell("dev", trigger_into("1.1.0", 80)).what == record
    ); // older than the last request: a replay
}

TEST_CASE("story: a CI claim proves a revision until Flux says otherwise") {
    world w;
    const auto claim = w.tell("dev", trigger("1.0.0", 0));
    CHECK(claim.what == promote);
    CHECK(claim.reason == "a trigger says 1.0.0 is proven in dev; it is promoted into staging");
    w.tell("dev", failure("1.0.0", 10));
    CHECK(w.state("staging", "1.0.0") == "Held(evidence)");
    CHECK(
        w.tell("dev", trigger("1.0.0", 20)).what == record
    ); // a claim does not beat what Flux saw
    CHECK(w.state("staging", "1.0.0") == "Held(evidence)");
    CHECK(w.tell("dev", healthy("1.0.0", 30)).what == promote);
    CHECK(w.state("staging", "1.0.0") == "Pending");
}

TEST_CASE("story: CI asks for a revision in prod that failed in staging") {
    auto d = make_pipeline();
    d.environments[2].secret = "prod-events";
    world w{d};
    w.tell("staging", failure("1.0.0", 0));
    const auto asked = w.tell("prod", trigger_into("1.0.0", 1));
    CHECK(asked.what == record);
    CHECK(asked.reason == "a trigger asks for 1.0.0 in prod, but it failed in staging");
    CHECK(w.tell("prod", trigger_into("1.0.1", 2)).what == promote);
    w.tell("staging", failure("1.0.1", 3));
    CHECK(w.state("prod", "1.0.1") == "Held(evidence)");
}

TEST_CASE("story: the +digest, tag and plain forms of one version are one release") {
    const std::string hex = "1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef";
    world w;
    auto chart = healthy("6.2.1+1234567890ab", 0);
    chart.facts.digest = "sha256:" + hex;
    const auto first = w.tell("dev", chart);
    CHECK(first.promotion->text() == "default/podinfo/staging@6.2.1");
    CHECK(w.tell("dev", healthy("6.2.1", 1)).what == duplicate);
    CHECK(w.tell("dev", healthy("6.2.1@sha256:" + hex, 2)).what == duplicate);
    w.tell("staging", healthy("6.2.1", 3));
    CHECK(w.state("staging", "6.2.1") == "Deployed");
}

TEST_CASE("story: the Helm test is the proof") {
    auto d = make_pipeline();
    d.environments[0].proof = proof::test;
    world w{d};
    const auto released = w.tell("dev", healthy("1.0.0", 0));
    CHECK(released.what == record);
    CHECK(
        released.reason == "1.0.0 is healthy in dev, but its Helm test has not succeeded there yet"
    );
    CHECK(w.tell("dev", tested("1.0.0", 0)).what == promote);

    w.tell("dev", healthy("1.1.0", 10));
    auto test_failed = failure("1.1.0", 20);
    test_failed.reason = "TestFailed";
    CHECK(w.tell("dev", test_failed).what == record);
    CHECK(w.state("staging", "1.1.0") == "-");
}

TEST_CASE(
    "story: the first report after a new install promotes, and the target's own report settles it"
) {
    world w;
    CHECK(w.tell("staging", healthy("1.0.0", 0)).what == promote); // nothing is known of prod yet
    CHECK(w.state("prod", "1.0.0") == "Pending");
    CHECK(w.tell("prod", healthy("1.2.0", 1)).what == record); // prod runs a newer one
    CHECK(w.state("prod", "1.0.0") == "Superseded");
    CHECK(w.current("prod") == "1.2.0");
}

TEST_CASE("story: the release is removed from dev and an old report comes in late") {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.tell("dev", flux("1.0.0", verdict::uninstalled, 10));
    CHECK(w.state("staging", "1.0.0") == "Pending"); // evidence stays, absence cancels nothing
    CHECK(w.tell("dev", healthy("1.0.0", 5)).what == record);
    CHECK(w.record("dev").slots.at(":podinfo").verdict == verdict::uninstalled);
    CHECK(w.tell("dev", healthy("1.0.0", 20)).what == duplicate);
}

TEST_CASE(
    "story: the executor is at work on a version that fails, while a newer one waits behind it"
) {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::running);
    CHECK(w.tell("dev", healthy("1.1.0", 10)).what == promote);
    const auto d = w.tell("dev", failure("1.0.0", 20)); // rolled out once more, and failed
    CHECK(
        d.reason == "1.0.0 failed in dev (UpgradeFailed); its promotion into staging is superseded "
                    "by another one"
    );
    CHECK(w.state("staging", "1.0.0") == "Superseded");
    CHECK(w.state("staging", "1.1.0") == "Pending");
}

TEST_CASE("story: a claim of CI does not undo a failure that Flux reported, also after a rollback"
) {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::merged);
    w.tell("dev", healthy("1.1.0", 10));
    w.tell("dev", failure("1.1.0", 20));
    CHECK(w.state("staging", "1.1.0") == "Held(evidence)");
    CHECK(w.tell("dev", trigger("1.1.0", 30)).what == record);
    CHECK(w.state("staging", "1.1.0") == "Held(evidence)");
    // the rollback takes the failed revision out of the slot
    w.tell("dev", flux("1.0.0", verdict::rolled_back, 40));
    const auto claim = w.tell("dev", trigger("1.1.0", 50));
    CHECK(claim.what == record);
    CHECK(claim.promotion);
    CHECK_THAT(claim.reason, Catch::Contains("held until Flux reports it healthy"));
    CHECK(w.state("staging", "1.1.0") == "Held(evidence)");

    CHECK(w.tell("dev", healthy("1.1.0", 60)).what == promote);
    CHECK(w.state("staging", "1.1.0") == "Pending");
}

TEST_CASE("story: a claim and the other target's report do not outweigh the target that rolled back"
) {
    auto pipeline = make_pipeline();
    pipeline.environments[0].targets = {on("podinfo", "east"), on("podinfo", "west")};
    world w{pipeline};
    CHECK(w.tell("dev", trigger("1.1.0", 10)).what == promote);
    w.tell("dev", from_cluster("west", failure("1.1.0", 20)));
    CHECK(w.state("staging", "1.1.0") == "Held(evidence)");
    w.tell("dev", from_cluster("west", flux("1.0.0", verdict::rolled_back, 30)));
    const auto other = w.tell("dev", from_cluster("east", healthy("1.1.0", 40)));
    CHECK(other.what == record);
    CHECK_THAT(other.reason, Catch::Contains("held until Flux reports it healthy"));
    CHECK(w.state("staging", "1.1.0") == "Held(evidence)");

    CHECK(w.tell("dev", from_cluster("west", healthy("1.1.0", 50))).what == promote);
    CHECK(w.state("staging", "1.1.0") == "Pending");
}

TEST_CASE("story: a claim stands for a target that never speaks when the one that failed is back") {
    auto pipeline = make_pipeline();
    pipeline.environments[0].targets = {on("podinfo", "east"), on("podinfo", "west")};
    world w{pipeline};
    w.tell("dev", trigger("1.1.0", 10));
    w.tell("dev", from_cluster("west", failure("1.1.0", 20)));
    w.tell("dev", from_cluster("west", flux("1.0.0", verdict::rolled_back, 30)));
    CHECK(w.state("staging", "1.1.0") == "Held(evidence)");
    CHECK(w.tell("dev", from_cluster("west", healthy("1.1.0", 40))).what == promote);
    CHECK(w.state("staging", "1.1.0") == "Pending");
}

TEST_CASE("story: two merged one after the other, and the report of the newer ends the older") {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::merged);
    w.tell("dev", healthy("1.1.0", 10));
    w.move("staging", "1.1.0", promotion_state::merged);
    w.tell("staging", healthy("1.1.0", 20));
    CHECK(w.state("staging", "1.1.0") == "Deployed");
    CHECK(w.state("staging", "1.0.0") == "Superseded");
}
