#include "base/rfc3339.hpp"
#include "tests/support/catch.hpp"

#include <array>

using namespace sluice;
using std::chrono::milliseconds;

namespace {

struct row {
    std::string_view text;
    std::int64_t ms;
};

} // namespace

TEST_CASE("times as Flux, Kubernetes and CI systems write them are read to the millisecond") {
    const std::array<row, 11> rows{{
        {"1970-01-01T00:00:00Z", 0},
        {"2026-08-07T13:12:44Z", 1'786'108'364'000},
        {"2026-08-07T13:12:44.1Z", 1'786'108'364'100},
        {"2026-08-07T13:12:44.123456789Z", 1'786'108'364'123},
        {"2026-08-07T15:12:44+02:00", 1'786'108'364'000},
        {"2026-08-07T07:42:44-05:30", 1'786'108'364'000},
        {"2026-08-07t13:12:44z", 1'786'108'364'000},
        {"2026-08-07 13:12:44Z", 1'786'108'364'000},
        {"2024-02-29T00:00:00Z", 1'709'164'800'000},
        {"2016-12-31T23:59:60Z", 1'483'228'800'000},
        {"1969-12-31T23:59:59.999Z", -1},
    }};
    for (const auto& r : rows) {
        CAPTURE(r.text);
        CHECK(parse_rfc3339(r.text) == time_point{milliseconds{r.ms}});
    }
}

TEST_CASE("what is not a whole RFC 3339 time is refused") {
    for (const std::string_view text :
         {"",
          "2026-08-07",
          "2026-08-07T13:12:44",
          "2026-08-07T13:12Z",
          "2026-8-7T13:12:44Z",
          "26-08-07T13:12:44Z",
          "2026-13-01T00:00:00Z",
          "2026-00-01T00:00:00Z",
          "2026-02-29T00:00:00Z",
          "2026-04-31T00:00:00Z",
          "2026-08-07T24:00:00Z",
          "2026-08-07T13:60:00Z",
          "2026-08-07T13:12:61Z",
          "2026-08-07T13:12:44.Z",
          "2026-08-07T13:12:44,5Z",
          "2026-08-07T13:12:44+0200",
          "2026-08-07T13:12:44+24:00",
          "2026-08-07T13:12:44+02:60",
          "2026-08-07T13:12:44Zx",
          " 2026-08-07T13:12:44Z",
          "+026-08-07T13:12:44Z",
          "-026-08-07T13:12:44Z"}) {
        CAPTURE(text);
        CHECK_FALSE(parse_rfc3339(text).has_value());
    }
}

TEST_CASE("a time is written in UTC, with a fraction only where it has one, and reads back the same"
) {
    const std::array<row, 5> rows{{
        {"1970-01-01T00:00:00Z", 0},
        {"2026-08-07T13:12:44Z", 1'786'108'364'000},
        {"2026-08-07T13:12:44.007Z", 1'786'108'364'007},
        {"1969-12-31T23:59:59.999Z", -1},
        {"2024-02-29T00:00:00.500Z", 1'709'164'800'500},
    }};
    for (const auto& r : rows) {
        const time_point t{milliseconds{r.ms}};
        CHECK(format_rfc3339(t) == r.text);
        CHECK(parse_rfc3339(r.text) == t);
    }
}

TEST_CASE("an endless fraction is cut, not overflowed") {
    const auto text = "2026-08-07T13:12:44." + std::string(100'000, '9') + "Z";
    CHECK(parse_rfc3339(text) == time_point{milliseconds{1'786'108'364'999}});
}
