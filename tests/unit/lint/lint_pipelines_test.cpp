#include "tests/support/pipeline_text.hpp"
#include "tests/unit/lint/linted.hpp"

using namespace sluice::lint;
using sluice::tests::linted;
using sluice::tests::pipeline_text;

TEST_CASE("a pipeline that is right has no findings") {
    CHECK(linted{{{"p.yaml", pipeline_text("podinfo")}}}.text().empty());
}

TEST_CASE("every mistake of every file is told with its place and remedy") {
    const linted l{{
        {"a.yaml", pipeline_text("a") + "  colour: red\n  deny: [{revision: 1.10}]\n"},
        {"b.yaml", "spec:\n\tx: 1\n"},
        {"c.yaml", pipeline_text("c")},
        {"d.yaml", "# again\n" + pipeline_text("c")},
    }};
    CHECK(l.has("a.yaml:13:3: error: unknown field \"colour\"; remove it"));
    CHECK(l.has("a.yaml:14:11: error: revision must be a string, but is a number; write it in "
                "quotes: \"1.10\""));
    CHECK(l.has("b.yaml:2:1: error: this line is indented with a tab"));
    CHECK(l.has("d.yaml:4:12: error: pipeline default/c is also at"));
    CHECK(l.report.findings.size() == 4);
    CHECK(l.report.has_errors());
}

TEST_CASE("what works but should not stay is a warning") {
    auto text = pipeline_text("podinfo");
    const auto change = [&](const std::string& from, const std::string& to) {
        text.replace(text.find(from), from.size(), to);
    };
    SECTION("no signature") {
        change(", secretRef: {name: dev-events}", "");
        CHECK(linted{{{"p.yaml", text}}
        }.has("p.yaml:10:5: warning: no Secret signs the events of environment dev"));
    }
    SECTION("a key and a namespace shared by two environments") {
        change("prod-events", "dev-events");
        CHECK(linted{{{"p.yaml", text}}}.text().empty()); // the namespaces differ
        change("namespace: prod", "namespace: dev");
        CHECK(linted{{{"p.yaml", text}}
        }.has("p.yaml:11:5: warning: environments dev and prod share a key and a namespace"));
    }
    SECTION("targets that no event can tell apart") {
        change("[{namespace: dev}]", "[{namespace: dev}, {namespace: dev}]");
        CHECK(linted{{{"p.yaml", text}}}.has("warning: no event can tell this target from target 1")
        );
    }
    SECTION("a namespace that is a path of the server") {
        change("namespace: default", "namespace: api");
        CHECK(linted{{{"p.yaml", text}}}.has("/promotion/api/podinfo/"));
    }
    SECTION("a plain http repository") {
        change(
            "{notification: {}}",
            "{pull-request: {type: git, url: 'http://g/x', baseBranch: main, secretRef: {name: c}}}"
        );
        CHECK(linted{{{"p.yaml", text}}
        }.has("warning: the repository's credentials travel over plain http://"));
    }
    SECTION("a plain http repository that is pushed to") {
        change(
            "{notification: {}}", "{push: {url: 'http://g/x', branch: main, secretRef: {name: c}}}"
        );
        CHECK(linted{{{"p.yaml", text}}}.has("plain http://"));
    }
    SECTION("a manifest's field that leads nowhere") {
        change(
            "{notification: {}}",
            "{push: {url: 'https://g/x', branch: main, secretRef: {name: c}, manifests: "
            "[{path: a.yaml, field: spec.version}, {path: b.yaml, field: 'images[0'}]}}"
        );
        const linted l{{{"p.yaml", text}}};
        CHECK(l.has("error: "));
        CHECK(l.has("images[0"));
        CHECK(l.report.findings.size() == 1);
    }
    SECTION("an app of another group") {
        change("helm.toolkit.fluxcd.io/v2", "helm.fluxcd.io/v1");
        CHECK(linted{{{"p.yaml", text}}}.has("write helm.toolkit.fluxcd.io/v2"));
    }
}

TEST_CASE("warnings alone are no errors, and the report is there for programs") {
    auto text = pipeline_text("podinfo");
    text.replace(text.find("namespace: default"), 18, "namespace: forge");
    const linted l{{{"p.yaml", text}}};
    CHECK(!l.report.has_errors());
    const auto json = nlohmann::json::parse(to_json(l.report));
    CHECK(json["warnings"] == 1);
    CHECK(json["errors"] == 0);
    CHECK(json["findings"][0]["severity"] == "warning");
    CHECK(json["findings"][0]["line"] == 3);
}

TEST_CASE("markers are compared with the pipelines") {
    const auto marker = [](const std::string& comment) {
        return "spec:\n  version: 6.1.8 # " + comment + "\n";
    };
    const auto pipeline = pipeline_text("podinfo");
    const auto finds = [&](const std::string& comment, std::string_view expected) {
        INFO(comment);
        const linted l{{{"app.yaml", marker(comment)}, {"p.yaml", pipeline}}};
        CHECK(l.has(expected));
        CHECK(l.report.findings.size() == 1);
    };
    finds(
        R"({"$promotion": "default:podinfo:qa"})",
        "app.yaml:2:18: error: pipeline default/podinfo has no environment qa"
    );
    finds(
        R"({"$promotion": "default:other:prod"})", "error: the marker names pipeline default/other"
    );
    finds(R"({"$promotion": "podinfo:prod"})", "is not namespace:pipeline:environment");
    finds(R"({"$promotion": "default:podinfo:prod")", "must be one JSON object");
    finds(R"({"$promotion": "default:podinfo:prod", "n": 1})", "must be strings");
    finds(R"({"$promotion": "default:podinfo:dev"})", "warning: dev is the first environment");
    CHECK(linted{
        {{"app.yaml", marker(R"({"$promotion": "default:podinfo:prod", "$imagepolicy": "a:b"})")},
         {"p.yaml", pipeline}}
    }.text()
              .empty());
    CHECK(linted{{{"app.yaml", marker(R"({"$promotion": "default:podinfo:prod:app-version"})")},
                  {"p.yaml", pipeline}}}
              .text()
              .empty());
    CHECK(linted{{{"app.yaml", marker("see $promotion in the docs")}, {"p.yaml", pipeline}}}
              .text()
              .empty());
}

TEST_CASE("a marker that marks nothing is told before a promotion looks for it in vain") {
    const linted l{
        {{"app.yaml", "spec: {a: 1, b: 2} # {\"$promotion\": \"default:podinfo:prod\"}\n"}}
    };
    CHECK(l.has("app.yaml:1:20: error: the marker marks nothing"));
}

TEST_CASE("a path that is not there, and a folder without YAML, are told") {
    const sluice::tests::temp_folder folder;
    CHECK(run({{folder / "none"}, {}}).has_errors());
    CHECK(!run({{folder.path()}, {}}).findings.empty());
}
