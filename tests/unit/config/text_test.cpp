#include "config/bytes_text.hpp"
#include "config/setting.hpp"
#include "config/suggest.hpp"
#include "tests/support/catch.hpp"

#include <set>

using namespace sluice::config;

TEST_CASE("sizes are written in bytes or binary units and nothing else") {
    CHECK(parse_bytes("0") == 0);
    CHECK(parse_bytes("4096") == 4096);
    CHECK(parse_bytes("64KiB") == 65'536);
    CHECK(parse_bytes("3MiB") == 3'145'728);
    CHECK(parse_bytes("2GiB") == 2'147'483'648);
    for (const char* wrong :
         {"", "KiB", "-1", "1.5MiB", "1MB", "1 MiB", "1mib", "9223372036854775807KiB", "0x10"}) {
        CAPTURE(wrong);
        CHECK_FALSE(parse_bytes(wrong));
    }
}

TEST_CASE("a size is printed in the largest unit that loses nothing") {
    CHECK(format_bytes(0) == "0");
    CHECK(format_bytes(1000) == "1000");
    CHECK(format_bytes(65'536) == "64KiB");
    CHECK(format_bytes(65'537) == "65537");
    CHECK(format_bytes(3'145'728) == "3MiB");
}

TEST_CASE("a name is suggested only when it is near") {
    CHECK(did_you_mean("limist", {"limits", "listen"}) == " (did you mean \"limits\"?)");
    CHECK(
        did_you_mean("ALLOW_UNSIGNED", {"allow-unsigned"}) == " (did you mean \"allow-unsigned\"?)"
    );
    CHECK(did_you_mean("zebra", {"limits", "listen"}).empty());
    CHECK(did_you_mean(std::string(10'000, 'x'), {"limits"}).empty());
}

TEST_CASE("no two settings share a name") {
    std::set<std::string> paths;
    std::set<std::string> flags;
    for (const auto& s : all_settings()) {
        CHECK(paths.insert(std::string{s.path}).second);
        CHECK(flags.insert(std::string{s.flag}).second);
        CHECK_FALSE(s.help.empty());
    }
}
