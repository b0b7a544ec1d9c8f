#include "cli/demo_repository.hpp"
#include "lint/lint.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <fmt/format.h>

#include <set>

using namespace sluice;
using Catch::Matchers::Contains;

namespace {

// A repository with the markers of dev, staging and prod, and a pipeline that promotes into it.
struct linted_repository {
    tests::temp_folder folder;

    linted_repository() {
        const auto made = cli::make_demo_repository(folder / "fleet.git", "6.1.7");
        if (!made) throw std::runtime_error(made.error().message);
    }
    [[nodiscard]] lint::report report(
        const std::string& last_environment,
        const std::string& more = {},
        const std::string& branch = "main",
        const std::string& repository = {}
    ) const {
        folder.write(
            "podinfo.yaml",
            fmt::format(
                "apiVersion: pipelines.weave.works/v1alpha1\n"
                "kind: Pipeline\n"
                "metadata: {{name: podinfo, namespace: default}}\n"
                "spec:\n"
                "  appRef: {{kind: HelmRelease, apiVersion: helm.toolkit.fluxcd.io/v2, name: "
                "podinfo}}\n"
                "  environments:\n"
                "  - {{name: dev, targets: [{{namespace: dev}}], secretRef: {{name: "
                "dev-events}}}}\n"
                "  - {{name: {0}, targets: [{{namespace: last}}], secretRef: {{name: "
                "last-events}}}}\n"
                "  promotion:\n"
                "    strategy:\n"
                "      pull-request:\n"
                "        type: git\n"
                "        url: file:///srv/fleet.git\n"
                "        baseBranch: {1}\n{2}",
                last_environment,
                branch,
                more
            )
        );
        lint::options o;
        o.paths = {folder / "podinfo.yaml"};
        o.repository = repository.empty() ? (folder / "fleet.git").string() : repository;
        return lint::run(o);
    }
};

} // namespace

TEST_CASE("a repository that is marked for every environment has no finding") {
    const linted_repository r;
    const auto report = r.report("prod");
    INFO(lint::to_text(report));
    CHECK(report.findings.empty());
}

TEST_CASE("an environment without a marker is an error with the line to add") {
    const linted_repository r;
    const auto report = r.report("qa");
    REQUIRE(report.findings.size() == 1);
    const auto& f = report.findings.front();
    CHECK(f.severity == lint::severity::error);
    CHECK_THAT(f.file, Contains("podinfo.yaml"));
    CHECK(f.line == 8);
    CHECK_THAT(f.message, Contains("qa") && Contains("main"));
    CHECK_THAT(f.remedy, Contains(R"(# {"$promotion": "default:podinfo:qa"})"));
}

TEST_CASE("a field that the manifests name and the repository does not have is told at its file") {
    const linted_repository r;
    const auto report = r.report(
        "prod",
        "        manifests: [{path: apps/prod/podinfo.yaml, field: spec.chart.spec.nothing}]\n"
    );
    INFO(lint::to_text(report));
    REQUIRE(report.has_errors());
    CHECK_THAT(lint::to_text(report), Contains("apps/prod/podinfo.yaml") && Contains("nothing"));
}

TEST_CASE("a branch or a repository that is not there is named") {
    const linted_repository r;
    CHECK_THAT(lint::to_text(r.report("prod", "", "trunk")), Contains("has no branch trunk"));
    CHECK_THAT(
        lint::to_text(r.report("prod", "", "main", "/nonexistent/fleet.git")),
        Contains("/nonexistent/fleet.git")
    );
    CHECK_THAT(
        lint::to_text(r.report("prod", "", "main", "https://elsewhere.invalid/fleet")),
        Contains("no pipeline")
    );
}

TEST_CASE("linting a repository leaves it as it was") {
    const linted_repository r;
    const auto files = [&] {
        std::set<std::string> all;
        for (const auto& e : std::filesystem::recursive_directory_iterator(r.folder / "fleet.git"))
            all.insert(e.path());
        return all;
    };
    const auto before = files();
    (void)r.report("prod");
    CHECK(files() == before);
}
