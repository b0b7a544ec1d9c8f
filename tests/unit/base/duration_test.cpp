#include "base/duration.hpp"
#include "tests/support/catch.hpp"

using namespace sluice;
using namespace std::chrono_literals;

TEST_CASE("durations are one number and one unit") {
    CHECK(parse_duration("250ms") == 250ms);
    CHECK(parse_duration("30s") == 30s);
    CHECK(parse_duration("15m") == 15min);
    CHECK(parse_duration("72h") == 72h);
    CHECK(parse_duration("0s") == 0s);
    CHECK(parse_duration("007s") == 7s);
}

TEST_CASE("what is not one number and one unit is refused") {
    for (const auto* text :
         {"",
          "s",
          "30",
          "30 s",
          " 30s",
          "30s ",
          "-1s",
          "-0s",
          "+1s",
          "1.5h",
          "1h30m",
          "30S",
          "30sec",
          "1d",
          "0x10s",
          "ms",
          "9223372036854775807h",
          "99999999999999999999s",
          "1e3s"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_duration(text).has_value());
    }
}

TEST_CASE("the largest durations are exact") {
    CHECK(parse_duration("9223372036854775807ms") == std::chrono::milliseconds::max());
    CHECK_FALSE(parse_duration("9223372036854776s").has_value());
    CHECK(parse_duration("9223372036854775s").has_value());
}

TEST_CASE("a duration is written in its largest whole unit and reads back the same") {
    CHECK(format_duration(0ms) == "0s");
    CHECK(format_duration(250ms) == "250ms");
    CHECK(format_duration(1500ms) == "1500ms");
    CHECK(format_duration(30s) == "30s");
    CHECK(format_duration(60s) == "1m");
    CHECK(format_duration(90min) == "90m");
    CHECK(format_duration(72h) == "72h");
    for (const auto d : {0ms, 1ms, 999ms, 1000ms, 61'000ms, 3'600'000ms, 3'660'000ms}) {
        CHECK(parse_duration(format_duration(d)) == d);
    }
}
