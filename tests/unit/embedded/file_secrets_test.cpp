#include "embedded/file_secrets.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temp_folder.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <unistd.h>

namespace fs = std::filesystem;
namespace asio = boost::asio;
using namespace std::chrono_literals;
using sluice::embedded::file_secrets;
using sluice::tests::eventually;

namespace {

struct opened {
    sluice::observe::registry metrics;
    std::unique_ptr<file_secrets> secrets;

    explicit opened(
        const fs::path& folder,
        std::chrono::milliseconds quiet = 20ms,
        std::chrono::milliseconds every = 10s
    ) {
        auto result = file_secrets::open({folder, quiet, 1h, every}, metrics);
        if (!result) FAIL(result.error().message);
        secrets = std::move(*result);
    }
    [[nodiscard]] std::string value(const char* name, const char* key = "hmac-key") const {
        const auto secret = secrets->find("default", name);
        if (secret == nullptr || !secret->data.contains(key)) return "(none)";
        return std::string{secret->data.at(key).reveal()};
    }
    [[nodiscard]] std::uint64_t generation(const char* name) const {
        return secrets->find("default", name)->generation;
    }
    std::string refreshed(const char* name) {
        asio::io_context io;
        auto done = asio::co_spawn(io, secrets->refresh("default", name), asio::use_future);
        io.run();
        const auto secret = done.get();
        return secret == nullptr ? "(none)" : std::string{secret->data.at("hmac-key").reveal()};
    }
};

} // namespace

TEST_CASE("a Secret is a folder with one file per key") {
    const sluice::tests::temp_folder folder;
    folder.write("default/events/hmac-key", "k1");
    folder.write("default/events/hmac-key-old", "k0\n");
    folder.write("default/events/.swp", "no");
    folder.write("other/events/hmac-key", "k2");
    const opened o{folder.path()};
    CHECK(o.secrets->available());
    CHECK(o.value("events") == "k1");
    CHECK(
        o.value("events", "hmac-key-old") == "k0\n"
    ); // raw: Flux may have signed with the newline
    CHECK(o.secrets->find("default", "events")->data.size() == 2);
    CHECK(o.secrets->find("other", "events")->data.at("hmac-key").reveal() == "k2");
    CHECK(o.secrets->find("default", "none") == nullptr);
}

TEST_CASE("a rotated key is seen, and the generation changes exactly when the content does") {
    const sluice::tests::temp_folder folder;
    folder.write("default/a/hmac-key", "k1");
    folder.write("default/b/hmac-key", "k1");
    const opened o{folder.path()};
    const auto a = o.generation("a");
    const auto b = o.generation("b");
    folder.write("default/a/hmac-key", "k2");
    REQUIRE(eventually([&] { return o.value("a") == "k2"; }));
    CHECK(o.generation("a") != a);
    CHECK(o.generation("b") == b);
    folder.write("default/b/hmac-key", "k1"); // touched, not changed
    folder.write("default/c/hmac-key", "k3");
    REQUIRE(eventually([&] { return o.value("c") == "k3"; }));
    CHECK(o.generation("b") == b);
    fs::remove_all(folder / "default/a");
    CHECK(eventually([&] { return o.secrets->find("default", "a") == nullptr; }));
}

TEST_CASE("the link swap of a mounted Secret is seen") {
    const sluice::tests::temp_folder folder;
    folder.write("default/m/..v1/hmac-key", "k1");
    fs::create_directory_symlink("..v1", folder / "default/m/..data");
    fs::create_symlink("..data/hmac-key", folder / "default/m/hmac-key");
    const opened o{folder.path()};
    CHECK(o.value("m") == "k1");
    folder.write("default/m/..v2/hmac-key", "k2");
    fs::create_directory_symlink("..v2", folder / "default/m/..data_tmp");
    fs::rename(folder / "default/m/..data_tmp", folder / "default/m/..data");
    CHECK(eventually([&] { return o.value("m") == "k2"; }));
}

TEST_CASE(
    "a Secret that became unreadable keeps its last good content and says so without its value"
) {
    const sluice::tests::temp_folder folder;
    folder.write("default/a/hmac-key", "CANARY-1");
    opened o{folder.path()};
    const sluice::tests::temp_folder aside; // else it is small enough for a moment
    aside.write("hmac-key", "CANARY-2" + std::string(1024 * 1024, 'x'));
    fs::rename(aside / "hmac-key", folder / "default/a/hmac-key");
    REQUIRE(eventually([&] { return !o.secrets->health().ok; }));
    CHECK(o.value("a") == "CANARY-1");
    CHECK_THAT(
        o.secrets->health().message,
        Catch::Contains("default/a/hmac-key") && !Catch::Contains("CANARY")
    );
    CHECK(o.secrets->available());
    folder.write("default/a/hmac-key", "CANARY-3");
    // The file is empty for a moment, as any that is written in place.
    CHECK(eventually([&] { return o.value("a") == "CANARY-3"; }));
    CHECK(o.secrets->health().ok);
}

TEST_CASE("a key whose file was emptied in an edit stays what it was until it is written or removed"
) {
    const sluice::tests::temp_folder folder;
    folder.write("default/a/hmac-key", "k1");
    opened o{folder.path()};
    const auto generation = o.generation("a");
    folder.write("default/a/hmac-key", "\n");
    REQUIRE(eventually([&] { return !o.secrets->health().ok; }));
    CHECK_THAT(
        o.secrets->health().message, Catch::Contains("default/a/hmac-key: the file is empty")
    );
    CHECK(o.value("a") == "k1");
    CHECK(o.generation("a") == generation);
    SECTION("written") {
        folder.write("default/a/hmac-key", "k2");
        CHECK(eventually([&] { return o.value("a") == "k2"; }));
    }
    SECTION("removed") {
        fs::remove(folder / "default/a/hmac-key");
        CHECK(eventually([&] { return o.secrets->find("default", "a")->data.empty(); }));
    }
    CHECK(o.secrets->health().ok);
}

TEST_CASE("what cannot be read at start is an error without a value") {
    const sluice::tests::temp_folder folder;
    sluice::observe::registry metrics;
    CHECK_THAT(
        file_secrets::open({folder / "none"}, metrics).error().message, Catch::Contains("--secrets")
    );
    folder.write("default/a/hmac-key", "CANARY" + std::string(1024 * 1024, 'x'));
    const auto result = file_secrets::open({folder.path()}, metrics);
    REQUIRE(!result);
    CHECK_THAT(
        result.error().message, Catch::Contains("default/a/hmac-key") && !Catch::Contains("CANARY")
    );
}

TEST_CASE("a refresh reads a Secret before the watch does, and not again within its interval") {
    const sluice::tests::temp_folder folder;
    folder.write("default/a/hmac-key", "k1");
    opened o{folder.path(), 1h}; // changes never settle: only refresh can see them
    folder.write("default/a/hmac-key", "k2");
    CHECK(o.value("a") == "k1");
    CHECK(o.refreshed("a") == "k2");
    CHECK(o.value("a") == "k2");
    folder.write("default/a/hmac-key", "k3");
    CHECK(o.refreshed("a") == "k2");
    folder.write("default/new/hmac-key", "n1");
    CHECK(o.refreshed("new") == "n1"); // another Secret has its own interval
    CHECK(o.refreshed("none") == "(none)");
}

TEST_CASE("many refreshes at once are one flight") {
    const sluice::tests::temp_folder folder;
    folder.write("default/a/hmac-key", "k1");
    opened o{folder.path(), 1h};
    folder.write("default/a/hmac-key", "k2");
    const auto before = o.generation("a");
    asio::io_context io;
    std::vector<std::future<sluice::home::secret_ptr>> all;
    for (int i = 0; i < 50; ++i)
        all.push_back(asio::co_spawn(io, o.secrets->refresh("default", "a"), asio::use_future));
    io.run();
    for (auto& each : all) CHECK(each.get()->generation == before + 1);
}
