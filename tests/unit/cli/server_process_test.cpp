#include "cli/descriptors.hpp"
#include "cli/listen_file.hpp"
#include "cli/promotion_source.hpp"
#include "cli/server_process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <sys/resource.h>

#include <fstream>
#include <iterator>

using namespace sluice;
using namespace sluice::cli;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;
using namespace std::chrono_literals;

namespace {

config::settings settings_in(const tests::temp_folder& folder) {
    config::settings s;
    for (const char* name : {"pipelines", "secrets"})
        std::filesystem::create_directory(folder / name);
    s.pipelines = folder / "pipelines";
    s.secrets = folder / "secrets";
    s.state = folder / "state";
    s.listen = {"http://127.0.0.1:0", "https://127.0.0.1:0"};
    s.admin = "127.0.0.1:0";
    s.threads = 1;
    return s;
}

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in{file};
    return {std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

TEST_CASE("a server tells its real addresses in order, answers the command line and stops") {
    const tests::temp_folder folder;
    const auto s = settings_in(folder);
    auto process = server_process::start(s);
    REQUIRE(process.has_value());
    const auto& urls = (*process)->urls();
    REQUIRE(urls.size() == 3);
    CHECK_THAT(urls[0], StartsWith("http://127.0.0.1:") && !Contains(":0"));
    CHECK_THAT(urls[1], StartsWith("https://127.0.0.1:") && !Contains(":0"));
    CHECK_THAT(urls[2], StartsWith("http://127.0.0.1:"));

    const auto online = list_promotions(s.state, {});
    REQUIRE(online.has_value());
    CHECK(online->dump() == R"({"items":[]})");
    const auto unknown = show_promotion(s.state, "default/podinfo/prod@6.1.8");
    REQUIRE_FALSE(unknown.has_value());
    CHECK(unknown.error().code == errc::not_found);

    (*process)->read_again();
    (*process)->announce_stop();
    CHECK((*process)->finish(5s));
    process->reset();

    // The same question without a server is answered from the files.
    const auto offline = list_promotions(s.state, {});
    REQUIRE(offline.has_value());
    CHECK(offline->dump() == R"({"items":[]})");
}

TEST_CASE("a second server on the same state folder is refused") {
    const tests::temp_folder folder;
    const auto s = settings_in(folder);
    auto first = server_process::start(s);
    REQUIRE(first.has_value());
    const auto second = server_process::start(s);
    REQUIRE_FALSE(second.has_value());
    CHECK(second.error().code == errc::conflict);
    CHECK((*first)->finish(5s));
}

TEST_CASE("a start that cannot work names the folder or address and ends cleanly") {
    const tests::temp_folder folder;
    auto no_pipelines = settings_in(folder);
    no_pipelines.pipelines = folder / "nothing";
    const auto first = server_process::start(no_pipelines);
    REQUIRE_FALSE(first.has_value());
    CHECK_THAT(first.error().message, Contains("nothing"));

    auto no_address = settings_in(folder);
    no_address.listen = {"http://192.0.2.1:1"}; // of documentation: no machine has it
    const auto second = server_process::start(no_address);
    REQUIRE_FALSE(second.has_value());
    CHECK_THAT(second.error().message, Contains("192.0.2.1"));
}

TEST_CASE("the file of addresses is whole when it appears and goes with the server") {
    const tests::temp_folder folder;
    {
        const auto file =
            listen_file::write(folder.path(), {"https://127.0.0.1:1", "http://127.0.0.1:2"});
        REQUIRE(file.has_value());
        CHECK(text_of(folder / "listen") == "https://127.0.0.1:1\nhttp://127.0.0.1:2\n");
        CHECK_FALSE(std::filesystem::exists(folder / "listen.new"));
    }
    CHECK_FALSE(std::filesystem::exists(folder / "listen"));
    const auto failed = listen_file::write(folder / "missing", {"x"});
    REQUIRE_FALSE(failed.has_value());
    CHECK_THAT(failed.error().message, Contains("missing") && Contains("writable"));
}

TEST_CASE("the limit of open files is raised as far as it may be, and what is missing is told") {
    rlimit before{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &before) == 0);
    const rlimit low{64, before.rlim_max};
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &low) == 0);
    CHECK(raise_descriptor_limit(128).has_value());
    rlimit after{};
    REQUIRE(::getrlimit(RLIMIT_NOFILE, &after) == 0);
    CHECK(after.rlim_cur == 128);
    // Beyond what the kernel gives to anybody.
    const auto refused = raise_descriptor_limit(std::size_t{1} << 40U);
    REQUIRE_FALSE(refused.has_value());
    CHECK_THAT(refused.error().message, Contains("limits.connections"));
    REQUIRE(::setrlimit(RLIMIT_NOFILE, &before) == 0);
}
