#include "base/rfc3339.hpp"
#include "pipeline/flux_event.hpp"
#include "pipeline/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/fixture.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

// A valid event in which `what` is replaced by `with`.
std::string event_with(const std::string& what, const std::string& with) {
    auto text = event_fixture("helm-v2-upgrade-succeeded");
    const auto at = text.find(what);
    if (at == std::string::npos) throw std::logic_error("not in the fixture: " + what);
    return text.replace(at, what.size(), with);
}

} // namespace

TEST_CASE("events of every Flux generation are understood") {
    const std::string commit = "b3396adb98a6a0f5eeedd1a600beaf5e954a1f28";
    struct row {
        std::string fixture;
        verdict says;
        std::string written;
    };
    const row rows[] = {
        {"helm-v2-upgrade-succeeded", verdict::healthy, "6.1.8"},
        {"helm-v2-install-succeeded", verdict::healthy, "6.1.7"},
        {"helm-v2-test-succeeded", verdict::healthy, "6.1.8"},
        {"helm-v2-oci-chartref", verdict::healthy, "6.2.1"},
        {"helm-v2-upgrade-failed", verdict::failed, "6.1.9"},
        {"helm-v2-rollback-succeeded", verdict::rolled_back, "6.1.8"},
        {"helm-v2-uninstall-succeeded", verdict::uninstalled, "6.1.8"},
        {"helm-v2-dependency-not-ready", verdict::none, ""},
        {"helm-v2-prefixed-keys", verdict::healthy, "6.1.8"},
        {"helm-v2beta2-upgrade-succeeded", verdict::healthy, "6.1.8"},
        {"helm-v2beta1-succeeded", verdict::healthy, "6.1.8"},
        {"helm-v2beta1-started", verdict::none, "6.1.8"},
        {"helm-v2beta1-failed", verdict::failed, "6.1.8"},
        {"kustomization-git-branch", verdict::healthy, commit},
        {"kustomization-git-tag", verdict::healthy, "v1.2.3"},
        {"kustomization-git-detached", verdict::healthy, commit},
        {"kustomization-oci", verdict::healthy, "6.2.1"},
        {"kustomization-bucket",
         verdict::healthy,
         "sha256:1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef"},
        {"kustomization-v1beta2-old-revision", verdict::healthy, commit},
        {"kustomization-prefixed-keys", verdict::healthy, commit},
        {"kustomization-progressing", verdict::none, commit},
        {"kustomization-health-check-failed", verdict::failed, commit},
        {"kustomization-build-failed", verdict::failed, commit},
    };
    for (const auto& r : rows) {
        INFO(r.fixture);
        const auto event = parse_flux_event(event_fixture(r.fixture));
        REQUIRE(event.has_value());
        CHECK(event->verdict == r.says);
        CHECK(written_form(event->facts) == r.written);
        CHECK(event->source == evidence_source::flux);
        CHECK(event->tested == (r.fixture == "helm-v2-test-succeeded"));
        REQUIRE(event->object);
        CHECK(event->object->name == "podinfo");
        CHECK(format_rfc3339(event->signed_at) == "2026-08-07T13:12:44Z");
    }
}

TEST_CASE("an event tells its object, its facts and its first line") {
    const auto event = parse_flux_event(event_fixture("helm-v2-upgrade-succeeded"));
    REQUIRE(event.has_value());
    CHECK(event->object->api_version == "helm.toolkit.fluxcd.io/v2");
    CHECK(event->object->kind == "HelmRelease");
    CHECK(event->object->ns == "podinfo");
    CHECK(event->facts.app_version == "6.1.8");
    CHECK(event->cluster == "dev");
    CHECK(event->reason == "UpgradeSucceeded");

    const auto failure = parse_flux_event(event_fixture("helm-v2-upgrade-failed"));
    REQUIRE(failure.has_value());
    CHECK(
        failure->message == "Helm upgrade failed for release podinfo/podinfo with chart "
                            "podinfo@6.1.9: context deadline exceeded"
    );

    const auto oci = parse_flux_event(event_fixture("helm-v2-oci-chartref"));
    REQUIRE(oci.has_value());
    CHECK(oci->facts.revision == "6.2.1+1234567890ab");
    CHECK(
        oci->facts.digest ==
        "sha256:1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef"
    );
}

TEST_CASE("a chart whose appVersion is free text is promoted all the same") {
    for (const auto& text : {std::string{"2.0 LTS"}, std::string(513, '1'), std::string{"a\\nb"}}) {
        const auto event = parse_flux_event(
            event_with(R"("app-version":"6.1.8")", R"("app-version":")" + text + '"')
        );
        REQUIRE(event.has_value());
        CHECK(event->facts.revision == "6.1.8");
        CHECK(event->facts.app_version.empty());
    }
}

TEST_CASE("a plain metadata key wins over a prefixed one, and another group's key is not ours") {
    const auto both = parse_flux_event(event_with(
        R"("revision":"6.1.8")", R"("helm.toolkit.fluxcd.io/revision":"1.0.0","revision":"2.0.0")"
    ));
    REQUIRE(both.has_value());
    CHECK(both->facts.revision == "2.0.0");

    const auto foreign = parse_flux_event(
        event_with(R"("revision":"6.1.8")", R"("kustomize.toolkit.fluxcd.io/revision":"1.0.0")")
    );
    REQUIRE_FALSE(foreign.has_value());
    CHECK(foreign.error().code == errc::unprocessable);
}

TEST_CASE("members Flux may add one day are ignored") {
    const auto event = parse_flux_event(event_with(
        R"("severity":"info")",
        R"("severity":"info","trace":{"a":[1,{"b":null}],"metadata":{"revision":5}},"more":-1.5e3)"
    ));
    REQUIRE(event.has_value());
    CHECK(event->facts.revision == "6.1.8");
}

TEST_CASE("a success must name its revision, other events need not") {
    const auto success = parse_flux_event(event_with(R"("revision":"6.1.8",)", ""));
    REQUIRE_FALSE(success.has_value());
    CHECK(success.error().code == errc::unprocessable);
    CHECK(success.error().detail.starts_with("event has no 'revision' in the metadata field."));

    CHECK(parse_flux_event(event_with("UpgradeSucceeded", "DriftCorrected")).has_value());
    CHECK(parse_flux_event(event_fixture("helm-v2-dependency-not-ready")).has_value());
}

TEST_CASE("a mistake in an event is told with its JSON path") {
    struct row {
        std::string what;
        std::string with;
        std::string told;
    };
    const row rows[] = {
        {R"("revision":"6.1.8")",
         R"("revision":618)",
         "/metadata/revision: must be a string, is a number"},
        {R"("cluster":"dev")",
         R"("cluster":{"a":1})",
         "/metadata/cluster: must be a string, is an object"},
        {R"("summary":"podinfo)",
         R"("a/b~c":[],"summary":"podinfo)",
         "/metadata/a~1b~0c: must be a string, is an array"},
        {R"("kind":"HelmRelease")",
         R"("kind":true)",
         "/involvedObject/kind: must be a string, is a boolean"},
        {R"("kind":"HelmRelease",)", "", "/involvedObject/kind: is missing"},
        {R"("namespace":"podinfo")",
         R"("namespace":"")",
         "/involvedObject/namespace: must not be empty"},
        {R"("name":"podinfo")", R"("name":null)", "/involvedObject/name: must be a string, is null"
        },
        {R"("timestamp":"2026-08-07T13:12:44Z")",
         R"("timestamp":null)",
         "/timestamp: must be a string, is null"},
        {R"("timestamp":"2026-08-07T13:12:44Z",)", "", "/timestamp: is missing"},
        {R"("2026-08-07T13:12:44Z")",
         R"("yesterday")",
         "/timestamp: must be an RFC 3339 time such as 2026-08-07T13:12:44Z"},
        {R"("severity":"info")", R"("severity":1)", "/severity: must be a string, is a number"},
        {R"("reason":"UpgradeSucceeded",)", "", "/reason: is missing"},
        {R"("revision":"6.1.8")",
         R"("revision":"6.1.8 evil")",
         "/metadata/revision: must not hold blanks or control characters"},
        {R"("revision":"6.1.8")",
         R"("revision":"6.1.8\u0000")",
         "/metadata/revision: must not hold blanks or control characters"},
        {R"("revision":"6.1.8")",
         R"("revision":")" + std::string(513, '1') + '"',
         "/metadata/revision: is longer than 512 bytes (513)"},
        {R"("severity":"info")",
         R"("severity":"info","severity":"info")",
         "/severity: is there twice"},
        {R"("revision":"6.1.8")",
         R"("revision":"6.1.8","revision":"6.1.9")",
         "/metadata/revision: is there twice"},
        {R"("name":"podinfo")",
         R"("x":{},"name":"podinfo","name":"podinfo")",
         "/involvedObject/name: is there twice"},
    };
    for (const auto& r : rows) {
        INFO(r.told);
        const auto event = parse_flux_event(event_with(r.what, r.with));
        REQUIRE_FALSE(event.has_value());
        CHECK(event.error().code == errc::invalid_argument);
        CHECK(event.error().detail == r.told);
    }
}

TEST_CASE("metadata and the object must be objects, and metadata may be left out") {
    auto text = event_fixture("helm-v2-dependency-not-ready");
    text.insert(text.size() - 1, R"(,"metadata":null)");
    CHECK(parse_flux_event(text).has_value());

    text = event_fixture("helm-v2-dependency-not-ready");
    text.insert(text.size() - 1, R"(,"metadata":["revision"])");
    const auto list = parse_flux_event(text);
    REQUIRE_FALSE(list.has_value());
    CHECK(list.error().detail == "/metadata: must be an object");

    for (const auto* body :
         {R"({"involvedObject":null})", R"({"involvedObject":"podinfo"})", "{}"}) {
        const auto event = parse_flux_event(body);
        REQUIRE_FALSE(event.has_value());
        CHECK(event.error().detail == "/involvedObject: must be an object");
    }
}

TEST_CASE("a long message is cut between characters") {
    const std::string e_acute = "\xc3\xa9";
    std::string message = "x";
    for (int i = 0; i < 40'000; ++i) message += e_acute;
    const auto event = parse_flux_event(event_with("Helm upgrade succeeded", message));
    REQUIRE(event.has_value());
    CHECK(event->message.size() == 511);
    CHECK(event->message.ends_with(e_acute));
}
