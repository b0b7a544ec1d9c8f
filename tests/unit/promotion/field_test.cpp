#include "promotion/manifest/edit.hpp"
#include "promotion/manifest/field.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/promotion/cases.hpp"

using namespace sluice;
using namespace sluice::promotion;
using namespace sluice::promotion::test;
using Catch::Matchers::Contains;

namespace {

constexpr std::string_view manifest = R"(# fleet
kind: HelmRelease
metadata:
  annotations:
    app.kubernetes.io/version: one
spec:
  chart: {spec: {version: two}}
  containers:
  - name: sidecar
    image: three
  - name: podinfo
    image: four
  - image: five
  twice: {a: six}
  empty:
  base: &base seven
  same: *base
)";

std::string value(std::string_view field) {
    const auto found = field_in(manifest, field);
    return found ? found->value : "error: " + found.error().message;
}

} // namespace

TEST_CASE("a path of keys, indices and selectors leads to its scalar") {
    CHECK(value("kind") == "HelmRelease");
    CHECK(value("metadata.annotations[\"app.kubernetes.io/version\"]") == "one");
    CHECK(value("spec.chart.spec.version") == "two");
    CHECK(value("spec.containers[0].image") == "three");
    CHECK(value("spec.containers[name=podinfo].image") == "four");
    CHECK(value("spec.containers[2].image") == "five");
    CHECK(value("spec[\"twice\"].a") == "six");
    CHECK(value("spec.empty").empty());
    CHECK(field_in("- x: a\n- y: b\n", "[1].y")->value == "b");
}

TEST_CASE("a path that leads nowhere says how far it led") {
    CHECK_THAT(value("spec.chart.version"), Contains("spec.chart has no single .version"));
    CHECK_THAT(value("speck.chart"), Contains("no document has speck"));
    CHECK_THAT(value("spec.containers[7].image"), Contains("spec.containers has no single [7]"));
    CHECK_THAT(value("spec.containers[name=x].image"), Contains("has no single [name=x]"));
    CHECK_THAT(value("spec.chart"), Contains("spec.chart (line 7) is a list or mapping"));
    CHECK_THAT(value("spec.same"), Contains("spec.same (line 17) is the alias *base"));
    CHECK_THAT(value("kind.x"), Contains("kind has no single .x"));
}

TEST_CASE("an ambiguous path is refused rather than guessed") {
    CHECK_THAT(
        field_in("v: a\n---\nv: b\n", "v").error().message,
        Contains("more than one document") && Contains("lines 1 and 3")
    );
    CHECK_FALSE(field_in("v: a\nv: b\n", "v").has_value());
    CHECK_FALSE(field_in("s: [{n: a, v: 1}, {n: a, v: 2}]\n", "s[n=a].v").has_value());
    CHECK(field_in("w: a\n---\nv: b\n", "v")->value == "b");
}

TEST_CASE("a path that is no path is refused before a promotion needs it") {
    for (const auto* field :
         {"",
          ".",
          ".a",
          "a.",
          "a..b",
          "a[",
          "a[]",
          "a[-1]",
          "a[x]",
          "a[=b]",
          "a[b=]",
          "a[0]b",
          "a[\"\"]",
          "a]"}) {
        INFO(field);
        CHECK_FALSE(check_field(field).has_value());
    }
    for (const auto* field :
         {"a", "a.b", "a[0]", "a[0][1].b", "[0].a", "a[b=c].d", "a[\"b.c]d\"].e"}) {
        INFO(field);
        CHECK(check_field(field).has_value());
    }
}

TEST_CASE("a field is edited like a marked scalar") {
    const auto place = field_in(manifest, "spec.empty");
    REQUIRE(place.has_value());
    const scalar_edit edits[] = {{*place, "6"}};
    auto expected = std::string{manifest};
    expected.replace(expected.find("empty:"), 6, "empty: \"6\"");
    CHECK(edited(manifest, edits).value() == expected);
}
