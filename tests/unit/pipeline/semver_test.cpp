#include "pipeline/version.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace sluice::pipeline;

TEST_CASE("versions are recognised as SemVer 2.0 writes them, with or without a v") {
    for (const auto* text : {
             "0.0.0",
             "1.2.3",
             "v1.2.3",
             "10.20.30",
             "1.0.0-alpha",
             "1.0.0-alpha.1",
             "1.0.0-0.3.7",
             "1.0.0-x-y-z.--",
             "1.0.0+build",
             "1.0.0-rc.1+build.01",
             "1.0.0+001",
             "99999999999999999999999.0.0",
         }) {
        INFO(text);
        CHECK(is_version(text));
    }
    for (const auto* text : {
             "",           "v",        "1",      "1.2",       "1.2.3.4",
             "01.2.3",     "1.02.3",   "1.2.03", "1.2.3-",    "1.2.3-01",
             "1.2.3-a..b", "1.2.3-a.", "1.2.3+", "1.2.3+a+b", "1.2.3-\xc3\xa9",
             "V1.2.3",     "vv1.2.3",  "1.2.x",  "-1.2.3",    " 1.2.3",
             "1.2.3 ",     "main",     "1..3",
         }) {
        INFO(text);
        CHECK_FALSE(is_version(text));
    }
}

TEST_CASE("versions are ordered by SemVer precedence") {
    const std::vector<std::string> ascending{
        "0.0.1",
        "0.9.0",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1-0",
        "1.0.1",
        "1.2.0",
        "1.10.0",
        "2.0.0",
        "10.0.0",
        "18446744073709551616.0.0",
        "18446744073709551617.0.0",
    };
    for (std::size_t i = 0; i < ascending.size(); ++i) {
        for (std::size_t j = 0; j < ascending.size(); ++j) {
            INFO(ascending[i] << " and " << ascending[j]);
            CHECK(compare_versions(ascending[i], "v" + ascending[j]) == (i <=> j));
        }
    }
}

TEST_CASE("build metadata says nothing about order, and what is no version has none") {
    CHECK(compare_versions("1.0.0+a", "1.0.0+b") == std::strong_ordering::equal);
    CHECK(compare_versions("v1.0.0", "1.0.0") == std::strong_ordering::equal);
    CHECK_FALSE(compare_versions("1.0.0", "main"));
    CHECK_FALSE(compare_versions("main", "1.0.0"));
    CHECK_FALSE(compare_versions("", ""));
}
