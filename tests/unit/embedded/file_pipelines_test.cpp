#include "embedded/file_pipelines.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/pipeline_text.hpp"
#include "tests/support/temp_folder.hpp"

#include <thread>

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using sluice::embedded::file_pipelines;
using sluice::tests::eventually;
using sluice::tests::pipeline_text;

namespace {

struct opened {
    sluice::observe::registry metrics;
    std::unique_ptr<file_pipelines> pipelines;

    // The poll is slow, so that the tests prove inotify.
    explicit opened(const fs::path& folder) {
        auto result = file_pipelines::open({folder, 20ms, 1h}, metrics);
        if (!result) FAIL(result.error().message);
        pipelines = std::move(*result);
    }
    [[nodiscard]] std::string app_of(const char* name) const {
        const auto found = pipelines->find("default", name);
        return found == nullptr ? "" : found->app.name;
    }
    [[nodiscard]] std::uint64_t reloads(const char* outcome) {
        return metrics
            .counter(
                "sluice_config_reloads_total", "", {{"source", "pipelines"}, {"outcome", outcome}}
            )
            .value();
    }
};

} // namespace

TEST_CASE("pipelines are found by namespace and name, in all files of the folder and below") {
    const sluice::tests::temp_folder folder;
    folder.write("a.yaml", pipeline_text("a") + "---\n" + pipeline_text("b"));
    folder.write("team/c.yml", pipeline_text("c"));
    folder.write("notes.txt", "not: [yaml");
    folder.write(".draft.yaml", "not: [yaml");
    const opened o{folder.path()};
    CHECK(o.pipelines->available());
    CHECK(o.pipelines->health().ok);
    CHECK(o.pipelines->find("default", "c")->name.text() == "default/c");
    CHECK(o.pipelines->find("other", "c") == nullptr);
    CHECK(o.pipelines->find("defaultc", "") == nullptr);
    const auto all = o.pipelines->all();
    REQUIRE(all.size() == 3);
    CHECK(all[0]->name.name == "a");
}

TEST_CASE("a mistake at start is an error that names every place") {
    const sluice::tests::temp_folder folder;
    sluice::observe::registry metrics;
    folder.write("a.yaml", pipeline_text("a") + "  colour: red\n");
    folder.write("b.yaml", "spec:\n\ta: 1\n");
    folder.write("c.yaml", pipeline_text("x"));
    folder.write("d.yaml", pipeline_text("x"));
    const auto result = file_pipelines::open({folder.path()}, metrics);
    REQUIRE(!result);
    const auto& message = result.error().message;
    CHECK_THAT(message, Catch::Contains("a.yaml:13:3: unknown field \"colour\""));
    CHECK_THAT(message, Catch::Contains("b.yaml:2:1: this line is indented with a tab"));
    CHECK_THAT(
        message,
        Catch::Contains("d.yaml:1:1: pipeline default/x is also at") &&
            Catch::Contains("c.yaml:1:1")
    );
    CHECK_THAT(
        file_pipelines::open({folder / "none"}, metrics).error().message,
        Catch::Contains("--pipelines")
    );
}

TEST_CASE("an edit is taken without a restart, however it is made") {
    const sluice::tests::temp_folder folder;
    folder.write("a.yaml", pipeline_text("a", "one"));
    folder.write("..v1/m.yaml", pipeline_text("m", "one"));
    fs::create_directory_symlink("..v1", folder / "..data");
    fs::create_symlink("..data/m.yaml", folder / "m.yaml");
    opened o{folder.path()};
    SECTION("written in place") {
        folder.write("a.yaml", pipeline_text("a", "two"));
        CHECK(eventually([&] { return o.app_of("a") == "two"; }));
    }
    SECTION("renamed over") {
        folder.replace("a.yaml", pipeline_text("a", "two"));
        CHECK(eventually([&] { return o.app_of("a") == "two"; }));
    }
    SECTION("a new file in a new folder") {
        folder.write("team/b.yaml", pipeline_text("b", "two"));
        CHECK(eventually([&] { return o.app_of("b") == "two"; }));
    }
    SECTION("the link swap of a Kubernetes mount") {
        folder.write("..v2/m.yaml", pipeline_text("m", "two"));
        fs::create_directory_symlink("..v2", folder / "..data_tmp");
        fs::rename(folder / "..data_tmp", folder / "..data");
        CHECK(eventually([&] { return o.app_of("m") == "two"; }));
    }
    SECTION("a file removed") {
        fs::remove(folder / "a.yaml");
        CHECK(eventually([&] { return o.pipelines->find("default", "a") == nullptr; }));
        CHECK(o.app_of("m") == "one");
    }
    SECTION("a pipeline moved to another file") {
        fs::rename(folder / "a.yaml", folder / "z.yaml");
        CHECK(eventually([&] { return o.reloads("ok") == 1; }));
        CHECK(o.app_of("a") == "one");
    }
    CHECK(eventually([&] { return o.reloads("ok") >= 1; }));
    CHECK(o.pipelines->health().ok);
    CHECK(o.reloads("failed") == 0);
}

TEST_CASE("a broken edit keeps the last good version, says so, and is forgotten when repaired") {
    const sluice::tests::temp_folder folder;
    folder.write("a.yaml", pipeline_text("a", "one"));
    folder.write("b.yaml", pipeline_text("b", "one"));
    opened o{folder.path()};

    folder.write("a.yaml", "spec: [");
    REQUIRE(eventually([&] { return !o.pipelines->health().ok; }));
    CHECK(o.app_of("a") == "one");
    CHECK(o.pipelines->available());
    CHECK_THAT(
        o.pipelines->health().message,
        Catch::Contains("a.yaml:2:1: while parsing") && Catch::Contains("last good")
    );
    CHECK(o.pipelines->health().part == "pipelines");
    CHECK(o.reloads("failed") == 1);

    folder.write("b.yaml", pipeline_text("b", "two")); // the good file still changes
    CHECK(eventually([&] { return o.app_of("b") == "two" && o.reloads("failed") == 2; }));
    CHECK(o.app_of("a") == "one");

    folder.write("a.yaml", pipeline_text("a", "three"));
    CHECK(eventually([&] { return o.pipelines->health().ok; }));
    CHECK(o.app_of("a") == "three");
    CHECK(o.reloads("ok") == 1);
}

TEST_CASE("an event that comes while a pipeline's file is being written still finds its pipeline") {
    const sluice::tests::temp_folder folder;
    folder.write("a.yaml", pipeline_text("a", "one"));
    opened o{folder.path()};
    folder.write("a.yaml", ""); // as it is between being cut and being filled
    REQUIRE(eventually([&] { return !o.pipelines->health().ok; }));
    CHECK(o.app_of("a") == "one");
    CHECK_THAT(o.pipelines->health().message, Catch::Contains("a.yaml:1:1: the file is empty"));
    folder.write("a.yaml", pipeline_text("a", "two"));
    CHECK(eventually([&] { return o.pipelines->health().ok; }));
    CHECK(o.app_of("a") == "two");

    folder.write("a.yaml", "# moved to another repository\n");
    CHECK(eventually([&] { return o.pipelines->find("default", "a") == nullptr; }));
    CHECK(o.pipelines->health().ok);
}

TEST_CASE("a folder that cannot be read any more makes the source unavailable until it is back") {
    const sluice::tests::temp_folder folder;
    folder.write("p/a.yaml", pipeline_text("a", "one"));
    opened o{folder / "p"};
    fs::rename(folder / "p", folder / "away");
    REQUIRE(eventually([&] { return !o.pipelines->available(); }));
    CHECK(!o.pipelines->health().ok);
    CHECK(o.app_of("a") == "one");
    fs::rename(folder / "away", folder / "p");
    CHECK(eventually([&] { return o.pipelines->available(); }));
    CHECK(eventually([&] { return o.pipelines->health().ok; }));
}

TEST_CASE("lookups run beside reloads and always see a whole version") {
    const sluice::tests::temp_folder folder;
    folder.write("a.yaml", pipeline_text("a", "v0") + "---\n" + pipeline_text("b", "v0"));
    opened o{folder.path()};
    std::atomic<bool> stop{false};
    std::atomic<int> missing{0};
    std::vector<std::thread> readers;
    for (int i = 0; i < 4; ++i) {
        readers.emplace_back([&] {
            while (!stop)
                missing +=
                    o.pipelines->find("default", "a") == nullptr || o.pipelines->all().size() != 2;
        });
    }
    for (int v = 1; v <= 5; ++v) {
        const auto app = "v" + std::to_string(v);
        folder.replace("a.yaml", pipeline_text("a", app) + "---\n" + pipeline_text("b", app));
        CHECK(eventually([&] { return o.app_of("b") == app; }));
    }
    stop = true;
    for (auto& reader : readers) reader.join();
    CHECK(missing == 0);
}
