#include "promotion/manifest/patch.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/promotion/cases.hpp"

using namespace sluice;
using namespace sluice::promotion;
using namespace sluice::promotion::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::string_view digest =
    "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
constexpr std::string_view commit = "0123456789abcdef0123456789abcdef01234567";

pipeline::revision_facts trigger() {
    return {
        .revision = "build-7",
        .app_version = {},
        .digest = std::string{digest},
        .image = "registry.example:5000/team/app",
        .tag = "1.2.3"
    };
}

std::string written(std::string_view fact, const pipeline::revision_facts& facts) {
    const auto bytes = "v: old # {\"$promotion\": \"ns:app:prod:" + std::string{fact} + "\"}\n";
    const auto done = patch("app.yaml", bytes, podinfo_in_prod, facts);
    if (!done) return "error: " + done.error().message;
    return done->changes.at(0).to;
}

} // namespace

TEST_CASE("each marker writes the fact it names") {
    CHECK(written("revision", trigger()) == "build-7");
    CHECK(written("tag", trigger()) == "1.2.3");
    CHECK(written("digest", trigger()) == digest);
    CHECK(written("name", trigger()) == "registry.example:5000/team/app");
    CHECK(
        written("image", trigger()) == "registry.example:5000/team/app:1.2.3@" + std::string{digest}
    );

    auto without_digest = trigger();
    without_digest.digest.clear();
    CHECK(written("image", without_digest) == "registry.example:5000/team/app:1.2.3");

    auto chart = revision("6.1.8");
    chart.app_version = "6.2";
    CHECK(written("app-version", chart) == "6.2");
}

TEST_CASE("a trigger may name its image in one word") {
    auto facts = revision("build-7");
    facts.image = "registry.example:5000/app:1.2@" + std::string{digest};
    CHECK(written("name", facts) == "registry.example:5000/app");
    CHECK(written("tag", facts) == "1.2");
    CHECK(written("digest", facts) == digest);
    CHECK(written("image", facts) == facts.image);
}

TEST_CASE("a revision is written as manifests want it") {
    CHECK(written("revision", revision("v1.2.3@sha1:" + std::string{commit})) == "v1.2.3");
    CHECK(written("revision", revision("main@sha1:" + std::string{commit})) == commit);
    const auto oci = revision("6.2.1@" + std::string{digest});
    CHECK(written("revision", oci) == "6.2.1");
    CHECK(written("tag", oci) == "6.2.1");
    CHECK(written("digest", oci) == digest);
}

TEST_CASE("a marker whose fact the promotion lacks fails it, naming marker and fact") {
    const auto bytes = "a: b\nv: old # {\"$promotion\": \"ns:app:prod:app-version\"}\n";
    const auto done = patch("prod/app.yaml", bytes, podinfo_in_prod, revision("6.1.8"));
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == errc::unprocessable);
    CHECK_THAT(
        done.error().message,
        Contains("prod/app.yaml:2: the marker \"ns:app:prod:app-version\"") &&
            Contains("the fact \"app-version\"") && Contains("6.1.8")
    );
    for (const auto* fact : {"tag", "digest", "name", "image"}) {
        INFO(fact);
        CHECK_THAT(
            written(fact, revision("6.1.8")), Contains("wants the fact \"" + std::string{fact})
        );
    }
}

TEST_CASE("another promotion's missing fact is none of ours") {
    const auto bytes = "v: a # {\"$promotion\": \"ns:app:dev:tag\"}\n";
    const auto done = patch("app.yaml", bytes, podinfo_in_prod, revision("6.1.8"));
    REQUIRE(done.has_value());
    CHECK(done->places.empty());
    CHECK_FALSE(done->bytes);
}

TEST_CASE("a file that already says it is unchanged, and its markers are still counted") {
    const auto bytes = with_markers("v: 6.1.8 # @M\nw: \"6.1.8\" # @M\nx: | # @M\n  6.1.8\n");
    const auto done = patch("app.yaml", bytes, podinfo_in_prod, revision("6.1.8"));
    REQUIRE(done.has_value());
    CHECK_FALSE(done->bytes);
    CHECK(done->changes.empty());
    CHECK(done->places.size() == 3);
}

TEST_CASE("a base that says another release's values is not taken for its merge") {
    struct {
        const char* what;
        const char* text;
        bool says;
    } const cases[] = {
        {"plain", "v: 6.1.8 # @M\n", true},
        {"quoted", "v: '6.1.8' # @M\n", true},
        {"a block", "v: | # @M\n  6.1.8\n", true},
        {"another", "v: 6.1.7 # @M\n", false},
        {"one of two", "v: 6.1.8 # @M\nw: 6.1.7 # @M\n", false},
        {"a line break in quotes", "v: \"6.1.8\\n\" # @M\n", false},
        {"nobody is marked", "v: 6.1.8\n", false},
    };
    for (const auto& c : cases) {
        INFO(c.what);
        const auto found = present_values("app.yaml", with_markers(c.text), podinfo_in_prod);
        REQUIRE(found.has_value());
        CHECK(all_say(*found, revision("6.1.8")) == c.says);
    }
    const auto number = present_values("app.yaml", with_markers("v: 1.10 # @M\n"), podinfo_in_prod);
    CHECK_FALSE(all_say(*number, revision("1.10"))); // YAML reads 1.1
    const auto bytes = "v: 6.1.8 # {\"$promotion\": \"ns:app:prod:tag\"}\n";
    const auto tag = present_values("app.yaml", bytes, podinfo_in_prod);
    CHECK_FALSE(all_say(*tag, revision("6.1.8"))); // which has no tag
}

TEST_CASE("the changes tell line, old and new value") {
    const auto bytes =
        with_markers("a: b\nv: 6.1.7 # @M\nx: | # @M\n  old\n\ny: 6.1.8 # @M\nz: # @M\n");
    const auto done = patch("app.yaml", bytes, podinfo_in_prod, revision("6.1.8"));
    REQUIRE(done.has_value());
    CHECK(
        done->changes ==
        std::vector<change>{{2, "6.1.7", "6.1.8"}, {3, "old", "6.1.8"}, {7, "", "6.1.8"}}
    );
    CHECK(done->places.size() == 4);
}

TEST_CASE("a file that is no YAML is told by name, in a way that lets the other files go on") {
    const auto bytes = with_markers("v: a # @M\n  x: [\n");
    const auto done = patch("chart/templates/app.yaml", bytes, podinfo_in_prod, revision("6.1.8"));
    REQUIRE_FALSE(done.has_value());
    CHECK(done.error().code == errc::invalid_argument);
    CHECK_THAT(done.error().message, Catch::StartsWith("chart/templates/app.yaml:"));
}

TEST_CASE("a bare document behind ... is refused by name instead of being dropped") {
    CHECK_THAT(promoted("v: a # @M\n...\nw: a # @M\n"), Catch::StartsWith("error: app.yaml:3:1:"));
}

TEST_CASE("strays come with the result, so that a missing marker can be explained") {
    const auto bytes = with_markers("s: {v: a} # @M\n");
    const auto done = patch("app.yaml", bytes, podinfo_in_prod, revision("6.1.8"));
    REQUIRE(done.has_value());
    CHECK(done->places.empty());
    CHECK(done->strays.size() == 1);
}

TEST_CASE("fields that are named explicitly are written beside the markers") {
    const auto bytes = with_markers("v: a # @M\nspec:\n  chart: {version: 1.0}\n");
    const std::string fields[] = {"spec.chart.version"};
    const auto done = patch("app.yaml", bytes, podinfo_in_prod, revision("6.1.8"), fields);
    REQUIRE(done.has_value());
    CHECK(done->bytes == with_markers("v: 6.1.8 # @M\nspec:\n  chart: {version: 6.1.8}\n"));
    CHECK(done->places.size() == 2);
}

TEST_CASE("a named field that is not there is a permanent failure") {
    const std::string fields[] = {"spec.version"};
    for (const auto* bytes : {"spec: {}\n", "spec: [\n"}) {
        const auto done = patch("app.yaml", bytes, podinfo_in_prod, revision("6.1.8"), fields);
        REQUIRE_FALSE(done.has_value());
        CHECK(done.error().code == errc::unprocessable);
        CHECK_THAT(done.error().message, Catch::StartsWith("app.yaml: "));
    }
}

TEST_CASE("the line to add is the marker Weave knows") {
    CHECK(marker_line(podinfo_in_prod) == "# {\"$promotion\": \"ns:app:prod\"}");
}
