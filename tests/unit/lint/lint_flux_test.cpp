#include "tests/support/pipeline_text.hpp"
#include "tests/unit/lint/linted.hpp"

using sluice::tests::linted;
using sluice::tests::pipeline_text;

namespace {

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

const std::string provider =
    "apiVersion: notification.toolkit.fluxcd.io/v1beta3\n"
    "kind: Provider\n"
    "metadata: {name: promotion-podinfo, namespace: dev}\n"
    "spec:\n"
    "  type: generic-hmac\n"
    "  address: https://promotions.example.org/promotion/default/podinfo/dev\n"
    "  secretRef: {name: hmac}\n";

const std::string alert = "apiVersion: notification.toolkit.fluxcd.io/v1beta3\n"
                          "kind: Alert\n"
                          "metadata: {name: promotion-podinfo, namespace: dev}\n"
                          "spec:\n"
                          "  eventSeverity: info\n"
                          "  eventSources: [{kind: HelmRelease, name: podinfo}]\n"
                          "  providerRef: {name: promotion-podinfo}\n";

linted with_provider(const std::string& text) {
    return linted{{{"p.yaml", pipeline_text("podinfo")}, {"x.yaml", text}}};
}

linted with_alert(const std::string& text) {
    return linted{{{"p.yaml", pipeline_text("podinfo")}, {"x.yaml", provider}, {"alert.yaml", text}}
    };
}

} // namespace

TEST_CASE("a Provider and an Alert that are right have no findings, with and without /promotion") {
    CHECK(with_alert(alert).text().empty());
    CHECK(with_provider(replaced(provider, "/promotion/default", "/default")).text().empty());
}

TEST_CASE("a Provider whose address reaches no pipeline is told") {
    const auto finds = [](const std::string& address, std::string_view expected) {
        INFO(address);
        CHECK(with_provider(replaced(provider, "/promotion/default/podinfo/dev", address))
                  .has(expected));
    };
    finds("/promotion/podinfo/dev", "x.yaml:6:3: error: the address has 2 segments");
    finds("/promotion/${APP_NAME}/${ENV_NAME}", "the address has 2 segments");
    finds("/promotion/default/podinfo", "the address has 2 segments");
    finds("", "the address has 0 segments");
    finds("/promotion/default/podinfo/dev/more", "the address has 4 segments");
    finds(
        "/promotion/default/other/dev", "names pipeline default/other, which is not among the files"
    );
    finds(
        "/promotion/default/podinfo/qa",
        "no environment qa; end the address with the environment the events come from: dev, prod"
    );
    finds("/promotion/default/podinfo/prod", "warning: prod is the last environment");
}

TEST_CASE("the last environment may report too, once the one before it does") {
    const auto both =
        provider + "---\n" +
        replaced(replaced(provider, "podinfo/dev", "podinfo/prod"), "promotion-podinfo", "prod");
    CHECK(with_provider(both).text().empty());
}

TEST_CASE("a Provider that does not sign, or cannot, is told") {
    CHECK(with_provider(replaced(provider, "generic-hmac", "generic"))
              .has("x.yaml:5:3: error: a Provider of type generic does not sign"));
    CHECK(with_provider(replaced(provider, "  secretRef: {name: hmac}\n", ""))
              .has("generic-hmac needs the key"));
    CHECK(with_provider(replaced(provider, "secretRef: {name: hmac}", "secretRef: hmac"))
              .has("x.yaml:7:3: error: secretRef is a mapping"));
}

TEST_CASE("an old API, a lower-case kind and plain http are told") {
    CHECK(with_provider(replaced(provider, "v1beta3", "v1beta1"))
              .has("x.yaml:1:1: warning: v1beta1 of Provider is gone in Flux 2.9"));
    CHECK(with_provider(replaced(provider, "kind: Provider", "kind: provider"))
              .has("error: the kind is written Provider"));
    CHECK(with_provider(
              replaced(provider, "https://promotions.example.org", "http://promotions.example.org")
    )
              .has("plain http://"));
    CHECK(with_provider(replaced(
                            provider,
                            "https://promotions.example.org",
                            "http://sluice.flux-system.svc.cluster.local:8082"
                        ))
              .text()
              .empty());
}

TEST_CASE("a Provider that sends elsewhere is left alone") {
    CHECK(with_provider(replaced(replaced(provider, "generic-hmac", "slack"), "/promotion", "/hook")
    )
              .text()
              .empty());
    CHECK(with_provider(replaced(
                            replaced(provider, "generic-hmac", "generic"),
                            "/promotion/default/podinfo/dev",
                            "/ci/hook"
                        ))
              .text()
              .empty());
}

TEST_CASE("an Alert whose events would not count is told") {
    const auto finds = [](const std::string& from, const std::string& to, std::string_view expected
                       ) {
        INFO(to);
        CHECK(with_alert(replaced(alert, from, to)).has(expected));
    };
    finds(
        "kind: HelmRelease",
        "kind: helmrelease",
        "alert.yaml:6:19: error: kind helmrelease is written in lower case"
    );
    finds(
        "name: podinfo}]",
        "name: other}]",
        "alert.yaml:6:3: error: no event source is the pipeline's app, HelmRelease podinfo"
    );
    finds("kind: HelmRelease", "kind: Kustomization", "no event source is the pipeline's app");
    finds(
        "name: podinfo}]",
        "name: podinfo, namespace: elsewhere}]",
        "has no target in the namespace elsewhere"
    );
    finds("eventSeverity: info", "eventSeverity: error", "error: only failures are sent");
    finds("v1beta3", "v1beta2", "warning: v1beta2 of Alert is gone");
    finds("  eventSeverity: info\n", "  suspend: true\n", "the Alert is suspended");
}

TEST_CASE("any name in an event source is the app too") {
    CHECK(with_alert(replaced(alert, "name: podinfo}]", "name: '*'}]")).text().empty());
}

TEST_CASE("events that cannot say which cluster they come from are told") {
    const auto two = replaced(
        pipeline_text("podinfo"),
        "targets: [{namespace: dev}]",
        "targets: [{namespace: dev, clusterRef: {kind: GitopsCluster, name: eu}}, {namespace: dev, "
        "clusterRef: {kind: GitopsCluster, name: us}}]"
    );
    const auto with = [&](const std::string& more) {
        return linted{{{"p.yaml", two}, {"x.yaml", provider}, {"alert.yaml", alert + more}}};
    };
    CHECK(with("").has("add eventMetadata: {cluster: …}"));
    CHECK(with("  eventMetadata: {cluster: eu}\n").text().empty());
    CHECK(with("  eventMetadata: {cluster: default/us}\n").text().empty());
    CHECK(with("  eventMetadata: {cluster: asia}\n").has("has no target on the cluster asia"));
}
