#include "pipeline/decide.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

result<arrival> matched(const definition& d, std::string environment, deployment_event event) {
    return match(std::make_shared<const definition>(d), std::move(environment), std::move(event));
}

std::string refusal(const definition& d, std::string environment, deployment_event event) {
    const auto a = matched(d, std::move(environment), std::move(event));
    if (a) return "matched";
    CHECK(a.error().code == errc::unprocessable);
    return a.error().detail;
}

using keys = std::vector<std::string>;

} // namespace

TEST_CASE("an event speaks for the targets of its environment in its namespace and cluster") {
    auto d = make_pipeline();
    d.environments[0].targets = {
        on("podinfo", "east"), on("podinfo", "west"), on("other", "east"), on("plain")
    };
    struct row {
        std::string ns;
        std::string cluster;
        keys targets;
    };
    const row rows[] = {
        {"podinfo", "", {"flux-system/east:podinfo", "flux-system/west:podinfo"}},
        {"podinfo", "east", {"flux-system/east:podinfo"}},
        {"podinfo", "flux-system/west", {"flux-system/west:podinfo"}},
        {"other", "", {"flux-system/east:other"}},
        {"plain", "", {":plain"}},
        {"plain", "anywhere", {":plain"}},
    };
    for (const auto& r : rows) {
        INFO(r.ns << " " << r.cluster);
        const auto a =
            matched(d, "dev", from_cluster(r.cluster, from_namespace(r.ns, healthy("1.0.0", 0))));
        REQUIRE(a.has_value());
        CHECK(a->targets == r.targets);
        CHECK(a->environment == "dev");
        CHECK(a->event.facts.revision == "1.0.0");
    }
}

TEST_CASE("targets no event can tell apart count as one") {
    auto d = make_pipeline();
    d.environments[0].targets = {on("podinfo"), on("podinfo")};
    const auto a = matched(d, "dev", healthy("1.0.0", 0));
    REQUIRE(a.has_value());
    CHECK(a->targets == keys{":podinfo"});
}

TEST_CASE("a cluster that names no target is refused with those there are") {
    auto d = make_pipeline();
    d.environments[0].targets = {on("podinfo", "east"), on("podinfo", "west")};
    CHECK(
        refusal(d, "dev", from_cluster("north", healthy("1.0.0", 0))) ==
        "cluster north names no target of environment dev: its targets in podinfo are on "
        "flux-system/east, "
        "flux-system/west; set eventMetadata.cluster of the Alert to one of them"
    );
    CHECK(refusal(d, "dev", from_cluster("other/east", healthy("1.0.0", 0)))
              .starts_with("cluster other/east names no"));
}

TEST_CASE("the application is compared by group, kind and name, not by API version") {
    const auto d = make_pipeline();
    const auto with = [](std::string api, std::string kind, std::string name) {
        auto e = healthy("1.0.0", 0);
        e.object->api_version = std::move(api);
        e.object->kind = std::move(kind);
        e.object->name = std::move(name);
        return e;
    };
    for (const auto* api :
         {"helm.toolkit.fluxcd.io/v2", "helm.toolkit.fluxcd.io/v2beta1", "helm.toolkit.fluxcd.io/v3"
         }) {
        CHECK(refusal(d, "dev", with(api, "HelmRelease", "podinfo")) == "matched");
    }
    const std::string v2 = "helm.toolkit.fluxcd.io/v2";
    const std::string text = "involved object does not match Pipeline definition: ";
    const std::string remedy = "; correct the Pipeline's appRef or the Alert's eventSources";
    CHECK(
        refusal(d, "dev", with("kustomize.toolkit.fluxcd.io/v1", "HelmRelease", "podinfo")) ==
        text + "its API group is kustomize.toolkit.fluxcd.io, appRef names helm.toolkit.fluxcd.io" +
            remedy
    );
    CHECK(
        refusal(d, "dev", with(v2, "Kustomization", "podinfo")) ==
        text + "its kind is Kustomization, appRef names HelmRelease" + remedy
    );
    CHECK(
        refusal(d, "dev", with(v2, "helmrelease", "podinfo")) ==
        text + "its kind is helmrelease, appRef names HelmRelease (check upper and lower case)" +
            remedy
    );
    CHECK(
        refusal(d, "dev", with(v2, "HelmRelease", "other")) ==
        text + "its name is other, appRef names podinfo" + remedy
    );
    CHECK(
        refusal(d, "dev", with("v1", "Pod", "other")) ==
        text +
            "its API group is , appRef names helm.toolkit.fluxcd.io; its kind is Pod, appRef names "
            "HelmRelease; "
            "its name is other, appRef names podinfo" +
            remedy
    );
}

TEST_CASE("an object of another namespace and an unknown environment are refused") {
    const auto d = make_pipeline();
    CHECK(
        refusal(d, "dev", from_namespace("elsewhere", healthy("1.0.0", 0))) ==
        "involved object does not match Pipeline definition: its namespace is elsewhere, the "
        "targets of dev are in "
        "podinfo; send it to the environment it belongs to, or add the target"
    );
    CHECK(
        refusal(d, "qa", healthy("1.0.0", 0)) == "app default/podinfo has no environment qa defined"
    );
    CHECK(
        refusal(d, "Dev", healthy("1.0.0", 0)) ==
        "app default/podinfo has no environment Dev defined"
    );
}

TEST_CASE("a trigger stands for all targets, and each environment can refuse triggers") {
    auto d = make_pipeline();
    const auto claim = matched(d, "dev", trigger("1.0.0", 0));
    REQUIRE(claim.has_value());
    CHECK(claim->targets == keys{"@trigger"});
    d.environments[0].triggers = false;
    for (const auto& event : {trigger("1.0.0", 0), trigger_into("1.0.0", 0)}) {
        CHECK(
            refusal(d, "dev", event) == "environment dev takes no triggers (triggers: false); only "
                                        "Flux's own reports count there"
        );
    }
    CHECK(refusal(d, "dev", healthy("1.0.0", 0)) == "matched");
}

TEST_CASE("a trigger goes into the first environment, or into one with its own key") {
    auto d = make_pipeline();
    const auto first = matched(d, "dev", trigger_into("1.0.0", 0));
    REQUIRE(first.has_value());
    CHECK(first->targets == keys{"@into"});
    CHECK(
        refusal(d, "staging", trigger_into("1.0.0", 0)) ==
        "a trigger may go into staging only when that environment has its own secretRef; send it "
        "into dev, the first "
        "environment, or give staging a secretRef"
    );
    d.environments[1].secret = "staging-events";
    CHECK(refusal(d, "staging", trigger_into("1.0.0", 0)) == "matched");
}
