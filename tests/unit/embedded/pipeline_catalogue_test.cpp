#include "embedded/pipeline_catalogue.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/pipeline_text.hpp"

using namespace sluice::embedded;
using sluice::tests::pipeline_text;

namespace {

const sluice::pipeline::definition* find(const catalogue& c, const char* name) {
    const auto found = c.pipelines.find(name_view{"default", name});
    return found == c.pipelines.end() ? nullptr : found->second.definition.get();
}

} // namespace

TEST_CASE("a file gives the pipelines of all its documents and Lists and skips other kinds") {
    const auto list =
        "kind: List\napiVersion: v1\nitems:\n- " + sluice::tests::indented(pipeline_text("c"), 2);
    const auto file = parse_pipeline_file(
        "a.yaml",
        pipeline_text("a") + "---\nkind: ConfigMap\napiVersion: v1\n---\n" + pipeline_text("b") +
            "---\n" + list + "---\napiVersion: tekton.dev/v1\nkind: Pipeline\n"
    );
    CHECK(file.problems.empty());
    REQUIRE(file.pipelines.size() == 3);
    CHECK(file.pipelines[1].definition->name.name == "b");
    CHECK(file.pipelines[2].definition->name.name == "c");
    CHECK(file.pipelines[0].place == "a.yaml:1:1");
}

TEST_CASE("mistakes are told with file, line and remedy, in the order of the file") {
    auto text = pipeline_text("a");
    text.replace(text.find("HelmRelease"), 11, "helmrelease");
    text += "  colour: red\n";
    const auto file = parse_pipeline_file("dir/a.yaml", "# comment\n" + text);
    REQUIRE(file.problems.size() == 2);
    CHECK_THAT(
        file.problems[0],
        Catch::StartsWith("dir/a.yaml:7:") && Catch::EndsWith("; write HelmRelease")
    );
    CHECK_THAT(file.problems[1], Catch::Contains("unknown field \"colour\""));
    CHECK(file.pipelines.empty());
}

TEST_CASE("a version without quotes is told with what was written") {
    const auto file =
        parse_pipeline_file("a.yaml", pipeline_text("a") + "  deny: [{revision: 1.10}]\n");
    REQUIRE(file.problems.size() == 1);
    CHECK_THAT(
        file.problems[0],
        Catch::EndsWith("revision must be a string, but is a number; write it in quotes: \"1.10\"")
    );
}

TEST_CASE("of a broken edit only the broken pipeline stays at its last good version") {
    const auto before = parse_pipeline_file(
        "a.yaml",
        pipeline_text("one") + "---\n" + pipeline_text("two") + "---\n" + pipeline_text("gone")
    );
    auto now = parse_pipeline_file(
        "a.yaml",
        pipeline_text("one", "new-app") + "---\n" + pipeline_text("two") + "  colour: red\n"
    );
    REQUIRE(now.problems.size() == 1);
    keep_last_good(now, before);
    const auto c = combine({{"a.yaml", now}}, {});
    REQUIRE(find(c, "one") != nullptr);
    CHECK(find(c, "one")->app.name == "new-app");
    REQUIRE(find(c, "two") != nullptr);
    CHECK(find(c, "gone") != nullptr); // it may be the one that is broken
    CHECK(c.problems.size() == 1);

    auto repaired = parse_pipeline_file("a.yaml", pipeline_text("two"));
    keep_last_good(repaired, now);
    CHECK(repaired.pipelines.size() == 1);
}

TEST_CASE(
    "a name that is there twice is told with both places, and the place that had it before keeps it"
) {
    const pipeline_files first{
        {"b.yaml", parse_pipeline_file("b.yaml", pipeline_text("x", "from-b"))}
    };
    const auto before = combine(first, {});
    pipeline_files both = first;
    both.emplace("a.yaml", parse_pipeline_file("a.yaml", pipeline_text("x", "from-a")));
    const auto now = combine(both, before);
    CHECK(find(now, "x")->app.name == "from-b");
    REQUIRE(now.problems.size() == 1);
    CHECK(
        now.problems[0] ==
        "a.yaml:1:1: pipeline default/x is also at b.yaml:1:1; remove one of them"
    );
    const auto fresh = combine(both, {});
    CHECK(find(fresh, "x")->app.name == "from-a");
}

TEST_CASE("what is only kept from a broken file gives way to the same pipeline written elsewhere") {
    const auto before = parse_pipeline_file("a.yaml", pipeline_text("x", "old"));
    auto broken = parse_pipeline_file("a.yaml", "spec: [");
    keep_last_good(broken, before);
    const auto c = combine(
        {{"a.yaml", broken}, {"b.yaml", parse_pipeline_file("b.yaml", pipeline_text("x", "new"))}},
        {}
    );
    CHECK(find(c, "x")->app.name == "new");
    CHECK(c.problems.size() == 1);
}
