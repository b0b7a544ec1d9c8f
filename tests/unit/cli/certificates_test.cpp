#include "cli/certificates.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/eventually.hpp"
#include "tests/support/temp_folder.hpp"

using namespace sluice;
using namespace sluice::cli;
using Catch::Matchers::Contains;

TEST_CASE("a certificate that breaks under the server is told, and the last good one stays in use"
) {
    const tests::temp_folder folder;
    config::settings s;
    s.state = folder.path();
    const system_clock clock;
    observe::registry metrics;
    const auto opened = certificates::open(s, clock, metrics);
    REQUIRE(opened.has_value());
    auto& certificates = **opened;
    CHECK(certificates.health().ok);
    const auto ends = certificates.context().not_after();

    const auto file = folder / "tls/tls.crt";
    const auto kept = folder / "kept.crt";
    std::filesystem::copy_file(file, kept);
    folder.replace("tls/tls.crt", "not a certificate");
    REQUIRE(tests::eventually([&] { return !certificates.health().ok; }));
    CHECK_THAT(certificates.health().message, Contains("tls.crt"));
    CHECK(certificates.context().not_after() == ends);
    CHECK_THAT(
        metrics.text(),
        Contains("sluice_config_reloads_total{outcome=\"failed\",source=\"certificates\"} 1") ||
            Contains("sluice_config_reloads_total{source=\"certificates\",outcome=\"failed\"} 1")
    );

    std::filesystem::rename(kept, file);
    CHECK(tests::eventually([&] { return certificates.health().ok; }));
}

TEST_CASE("the files of the operator are used, and asked-for files that are missing stop the start"
) {
    const tests::temp_folder folder;
    config::settings s;
    s.state = folder.path();
    s.tls.certificate = folder / "missing.crt";
    s.tls.key = folder / "missing.key";
    const system_clock clock;
    observe::registry metrics;
    const auto opened = certificates::open(s, clock, metrics);
    REQUIRE_FALSE(opened.has_value());
    CHECK_THAT(opened.error().message, Contains("missing.crt"));
}

TEST_CASE("a certificate that has ended is told as a part that is unwell") {
    const tests::temp_folder folder;
    config::settings s;
    s.state = folder.path();
    manual_clock clock{system_clock{}.now()};
    observe::registry metrics;
    const auto opened = certificates::open(s, clock, metrics);
    REQUIRE(opened.has_value());
    clock.set((*opened)->context().not_after());
    CHECK_FALSE((*opened)->health().ok);
    CHECK_THAT((*opened)->health().message, Contains("expired"));
}
