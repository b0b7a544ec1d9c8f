#include "base/files.hpp"
#include "cli/demo_folder.hpp"
#include "cli/demo_repository.hpp"
#include "lint/lint.hpp"
#include "tests/support/catch.hpp"

using namespace sluice;
using namespace sluice::cli;

TEST_CASE("the demo's folder holds what lint has no complaint about, and goes with the demo") {
    std::filesystem::path path;
    {
        const auto made = demo_folder::make();
        REQUIRE(made.has_value());
        path = made->path();
        lint::options o;
        o.paths = {made->pipelines()};
        o.secrets = made->secrets();
        o.repository = made->repository();
        const auto report = lint::run(o);
        INFO(lint::to_text(report));
        CHECK(report.findings.empty());
    }
    CHECK_FALSE(std::filesystem::exists(path));
}

TEST_CASE("two demos have different keys") {
    const auto first = demo_folder::make();
    const auto second = demo_folder::make();
    REQUIRE(first.has_value());
    REQUIRE(second.has_value());
    const auto one = read_file(first->key_of("dev"), 1'000);
    const auto other = read_file(second->key_of("dev"), 1'000);
    REQUIRE(one.has_value());
    REQUIRE(other.has_value());
    CHECK(one->size() >= 32);
    CHECK(*one != *other);
}

TEST_CASE("a branch that is not there has no diff, main has none to itself") {
    const auto made = demo_folder::make();
    REQUIRE(made.has_value());
    CHECK_FALSE(diff_to_main(made->repository(), "nothing").has_value());
    const auto same = diff_to_main(made->repository(), "main");
    REQUIRE(same.has_value());
    CHECK(same->empty());
}
