#include "base/file_watch.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temp_folder.hpp"

#include <atomic>
#include <optional>

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using sluice::file_watch;
using sluice::tests::eventually;

namespace {

struct counted {
    std::atomic<int> calls{0};
    int failures = 0; // of the first calls
    file_watch watch;

    // The poll is off unless asked for, so that a test of inotify cannot pass by polling.
    explicit counted(fs::path root, std::chrono::milliseconds poll = 1h)
        : watch{{{std::move(root)}, 20ms, 500ms, poll}} {}
    void start() {
        watch.start([this] { return ++calls > failures; });
    }
};

} // namespace

TEST_CASE("a change between construction and start is not lost") {
    const sluice::tests::temp_folder folder;
    counted c{folder.path()};
    folder.write("a.yaml", "1");
    c.start();
    CHECK(eventually([&] { return c.calls == 1; }));
}

TEST_CASE("a change that could not be taken is told again until it is") {
    const sluice::tests::temp_folder folder;
    counted c{folder.path(), 30ms};
    c.failures = 2;
    c.start();
    folder.write("a.yaml", "1");
    CHECK(eventually([&] { return c.calls == 3; }));
    folder.write("a.yaml", "22");
    CHECK(eventually([&] { return c.calls >= 4; }));
}

TEST_CASE("every way a file changes is told") {
    const sluice::tests::temp_folder folder;
    folder.write("a.yaml", "1");
    folder.write("sub/b.yaml", "1");
    folder.write("..one/c.yaml", "1");
    fs::create_directory_symlink("..one", folder / "..data");
    fs::create_symlink("..data/c.yaml", folder / "c.yaml");
    counted c{folder.path()};
    c.start();
    int before = 0;
    const auto told = [&] {
        const bool came = eventually([&] { return c.calls > before; });
        before = c.calls;
        return came;
    };
    SECTION("written in place") {
        folder.write("a.yaml", "2");
        CHECK(told());
    }
    SECTION("renamed over, as editors do") {
        folder.replace("a.yaml", "2");
        CHECK(told());
    }
    SECTION("removed") {
        fs::remove(folder / "a.yaml");
        CHECK(told());
    }
    SECTION("in a folder that is new") {
        fs::create_directories(folder / "new/er");
        CHECK(told());
        folder.write("new/er/d.yaml", "1");
        CHECK(told());
        folder.write("new/er/d.yaml", "2");
        CHECK(told());
    }
    SECTION("by the link swap of a Kubernetes mount") {
        folder.write("..two/c.yaml", "2");
        fs::create_directory_symlink("..two", folder / "..data_tmp");
        fs::rename(folder / "..data_tmp", folder / "..data");
        CHECK(told());
    }
    SECTION("the folder itself goes and comes back") {
        fs::rename(folder.path(), folder.path().string() + "-away");
        CHECK(told());
        fs::rename(folder.path().string() + "-away", folder.path());
        CHECK(told());
        folder.write("a.yaml", "3");
        CHECK(told());
    }
}

TEST_CASE(
    "many changes at once are one call, and a stream of changes does not hold it back for ever"
) {
    const sluice::tests::temp_folder folder;
    counted c{folder.path()};
    for (int i = 0; i < 100; ++i) folder.write("a.yaml", std::to_string(i));
    c.start();
    REQUIRE(eventually([&] { return c.calls > 0; }));
    CHECK(c.calls == 1);
    // Written faster than `quiet`, so only `longest` can end the wait.
    CHECK(eventually([&] {
        folder.write("a.yaml", "x");
        return c.calls > 1;
    }));
}

TEST_CASE("a file that is watched by itself is not bothered by its neighbours") {
    const sluice::tests::temp_folder folder;
    folder.write("tls.crt", "1");
    folder.write("other", "1");
    counted c{folder / "tls.crt"};
    folder.write("other", "2");
    folder.write("tls.crt", "2");
    c.start();
    REQUIRE(eventually([&] { return c.calls == 1; }));
    folder.write("other", "3");
    folder.replace("tls.crt", "3");
    REQUIRE(eventually([&] { return c.calls >= 2; }));
    CHECK(c.calls == 2);
}

TEST_CASE("the poll finds what inotify cannot see: the target of a link edited in place") {
    const sluice::tests::temp_folder folder;
    const sluice::tests::temp_folder elsewhere;
    elsewhere.write("a.yaml", "1");
    fs::create_symlink(elsewhere / "a.yaml", folder / "a.yaml");
    counted c{folder.path(), 20ms};
    c.start();
    elsewhere.write("a.yaml", "two");
    CHECK(eventually([&] { return c.calls > 0; }));
}

TEST_CASE("after its end a watch calls nobody") {
    const sluice::tests::temp_folder folder;
    std::atomic<bool> ended{false};
    std::atomic<bool> late{false};
    {
        file_watch watch{{{folder.path()}, 1ms, 10ms, 1ms}};
        watch.start([&] {
            late = late || ended;
            return true;
        });
        for (int i = 0; i < 50; ++i) folder.write("a", std::to_string(i));
    }
    ended = true;
    folder.write("a", "last");
    CHECK(!late);
    const file_watch never_started{{{folder.path()}}};
}
