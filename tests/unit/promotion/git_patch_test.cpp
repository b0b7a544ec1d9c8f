#include "tests/unit/promotion/git_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;

namespace {

struct fleet : git_machine {
    git_origin origin{folder};

    // What patching main gives.
    result<promotion::git::patched_tree>
    patch(std::vector<pipeline::manifest_field> fields = {}, const std::string& version = "6.1.8") {
        auto repository = open(origin.url());
        auto tips = repository->fetch({"main"});
        if (!tips) throw std::runtime_error(tips.error().message);
        auto out = repository->patch(tips->at("main"), podinfo_prod, revision(version), fields);
        if (!out) return out;
        const auto commit =
            repository->commit({out->tree, tips->at("main"), sluice_author, time_point{}, "patched"}
            );
        if (!commit) throw std::runtime_error(commit.error().message);
        const auto pushed = repository->push({{"patched", origin.tip("patched"), *commit}});
        if (!pushed || pushed->at(0).result != promotion::git::ref_result::done)
            throw std::runtime_error("push");
        return out;
    }
};

} // namespace

TEST_CASE("every file with a marker of the promotion is patched, and no other byte changes") {
    fleet f;
    const std::string windows =
        "a: 1\r\nv: \"6.1.0\" # {\"$promotion\": \"default:podinfo:prod\"}\r\n";
    const std::string with_bom = "\xEF\xBB\xBF" + manifest("6.1.0") + "no-line-end: true";
    f.origin.write(".gitattributes", "* -text\n");
    f.origin.write("a/windows.yml", windows);
    f.origin.write("a/b/c/bom.yaml", with_bom);
    f.origin.write("a/b/other.yaml", manifest("1.0.0", "default:other:prod"));
    f.origin.write("a/notes.txt", manifest("6.1.0"));
    f.origin.write("run.yaml", "#!/bin/true\n" + manifest("6.1.0"));
    sh(fmt::format("chmod +x '{}'", (f.origin.work() / "run.yaml").string()));
    f.origin.commit("files");
    const auto out = f.patch();
    REQUIRE(out.has_value());
    CHECK(out->places.size() == 3);
    CHECK(out->changes.size() == 3);
    CHECK(
        f.origin.show("patched", "a/windows.yml") ==
        "a: 1\r\nv: \"6.1.8\" # {\"$promotion\": \"default:podinfo:prod\"}\r\n"
    );
    CHECK(
        f.origin.show("patched", "a/b/c/bom.yaml") ==
        "\xEF\xBB\xBF" + manifest("6.1.8") + "no-line-end: true"
    );
    CHECK(f.origin.remote_git("ls-tree patched run.yaml").starts_with("100755"));
    CHECK(
        f.origin.remote_git("diff --name-only main patched") ==
        "a/b/c/bom.yaml\na/windows.yml\nrun.yaml"
    );
    f.origin.remote_git("fsck --full --strict");
}

TEST_CASE("symbolic links and submodules are never followed") {
    fleet f;
    f.origin.write("real.yaml", manifest("6.1.0"));
    std::filesystem::create_symlink("real.yaml", f.origin.work() / "link.yaml");
    std::filesystem::create_symlink("/etc/hostname", f.origin.work() / "dangling.yml");
    std::filesystem::create_directory_symlink("..", f.origin.work() / "loop");
    f.origin.git("update-index --add --cacheinfo "
                 "160000,1234567890123456789012345678901234567890,vendor.yaml");
    f.origin.commit("links");
    f.origin.git("update-index --add --cacheinfo "
                 "160000,1234567890123456789012345678901234567890,vendor.yaml");
    f.origin.git("commit -q -m submodule");
    f.origin.git("push -q origin HEAD:main");
    const auto out = f.patch();
    REQUIRE(out.has_value());
    CHECK(out->places.size() == 1);
    CHECK(f.origin.remote_git("diff --name-only main patched") == "real.yaml");
    CHECK(f.origin.remote_git("ls-tree patched vendor.yaml").starts_with("160000"));
    for (const auto* path : {"link.yaml", "vendor.yaml", "loop/real.yaml"}) {
        const auto refused = f.patch({{path, "spec.version"}});
        INFO(path);
        REQUIRE(!refused.has_value());
        CHECK(refused.error().code == errc::unprocessable);
    }
}

TEST_CASE(
    "files that do not parse, markers that mark nothing and huge files are named, from memory too"
) {
    fleet f;
    f.origin.write("good.yaml", manifest("6.1.0"));
    f.origin.write("bad.yaml", "a: [ # {\"$promotion\": \"default:podinfo:prod\"}\n");
    f.origin.write("helm/bad-without-marker.yaml", "{{ if .Values.x }}\n");
    f.origin.write("deep/er/stray.yaml", "a: {} # {\"$promotion\": \"default:podinfo:prod\"}\n");
    f.origin.write("huge.yaml", std::string((4U << 20U) + 1, '#'));
    f.origin.commit("files");
    for (int round = 0; round < 2; ++round) {
        const auto out = f.patch();
        REQUIRE(out.has_value());
        CHECK(out->places.size() == 1);
        REQUIRE(out->unreadable.size() == 2);
        CHECK_THAT(out->unreadable[0], Catch::Matchers::StartsWith("bad.yaml:"));
        CHECK_THAT(
            out->unreadable[1], Catch::Matchers::StartsWith("huge.yaml:1: larger than 4 MiB")
        );
        REQUIRE(out->strays.size() == 1);
        CHECK_THAT(out->strays[0], Catch::Matchers::StartsWith("deep/er/stray.yaml:1: "));
    }
    CHECK(f.manifests_read() == 5);
}

TEST_CASE("fields named in the Pipeline are written where comments do not survive") {
    fleet f;
    f.origin.write("prod/release.yaml", "spec:\n  chart:\n    version: 6.1.0\n");
    f.origin.write("prod/both.yaml", manifest("6.1.0") + "copy: 6.1.0\n");
    f.origin.commit("files");
    const auto out =
        f.patch({{"prod/release.yaml", "spec.chart.version"}, {"prod/both.yaml", "copy"}});
    REQUIRE(out.has_value());
    CHECK(out->places.size() == 3);
    CHECK(out->places.front().text == "6.1.0");
    CHECK(f.origin.show("patched", "prod/release.yaml") == "spec:\n  chart:\n    version: 6.1.8\n");
    CHECK(f.origin.show("patched", "prod/both.yaml") == manifest("6.1.8") + "copy: 6.1.8\n");

    const auto missing = f.patch({{"prod/gone.yaml", "a"}});
    REQUIRE(!missing.has_value());
    CHECK(missing.error().code == errc::unprocessable);
    CHECK_THAT(missing.error().message, Contains("prod/gone.yaml: there is no such file"));
    const auto folder = f.patch({{"prod", "a"}});
    REQUIRE(!folder.has_value());
    CHECK(folder.error().code == errc::unprocessable);
}

TEST_CASE("a named file that is no YAML is a permanent failure, unlike one found by chance") {
    fleet f;
    f.origin.write("bad.yaml", "a: [\n");
    f.origin.commit("files");
    const auto out = f.patch({{"bad.yaml", "a"}});
    REQUIRE(!out.has_value());
    CHECK(out.error().code == errc::unprocessable);
    CHECK_THAT(out.error().message, Contains("bad.yaml"));
}

TEST_CASE("a marker whose fact is missing fails the promotion and names file and line") {
    fleet f;
    f.origin.write("a.yaml", manifest("6.1.0", "default:podinfo:prod:digest"));
    f.origin.commit("files");
    const auto out = f.patch();
    REQUIRE(!out.has_value());
    CHECK(out.error().code == errc::unprocessable);
    CHECK_THAT(out.error().message, Catch::Matchers::StartsWith("a.yaml:2: "));
}

TEST_CASE("without a marker nothing is changed and no place is told") {
    fleet f;
    f.origin.write("a.yaml", "version: 1\n");
    f.origin.commit("files");
    const auto out = f.patch();
    REQUIRE(out.has_value());
    CHECK(out->places.empty());
    CHECK(out->changes.empty());
    CHECK(out->tree == f.origin.remote_git("rev-parse main^{tree}"));
}
