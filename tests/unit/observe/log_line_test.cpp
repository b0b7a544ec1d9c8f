#include "base/bytes.hpp"
#include "observe/log_line.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <limits>
#include <string>
#include <vector>

using namespace sluice;
using namespace sluice::log;

namespace {

const time_point at{std::chrono::milliseconds{1'786'108'364'007}};

std::string json(std::string_view message, fields f) {
    return format_line(format::json, at, level::info, message, f);
}

std::string text(std::string_view message, fields f) {
    return format_line(format::text, at, level::info, message, f);
}

// What input may try: quotes, a second line, terminal escapes, broken and overlong UTF-8, C1 controls, NUL.
const std::vector<std::string> hostile{
    "a\"b\\c",
    "first\nsecond\r\n{\"level\":\"error\"}",
    "\x1b[31mred\x07\x7f",
    "\xff\xfe broken \xc3",
    "\xc0\xaf overlong \xed\xa0\x80 surrogate \xf4\x90\x80\x80 beyond",
    "c1 \xc2\x9b control",
    std::string("nul\0inside", 10),
    "plain \xc3\xa9\xe2\x82\xac\xf0\x9f\x9a\xa2",
};

bool has_control(std::string_view line) {
    for (const char c : line) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte < 0x20 || byte == 0x7f) return true;
    }
    return line.find("\xc2\x9b") != std::string_view::npos;
}

} // namespace

TEST_CASE("a JSON line is one object with time, level, message and typed fields in order") {
    CHECK(
        json(
            "accepted",
            {{"pipeline", "default/podinfo"}, {"count", 3}, {"took", 0.25}, {"fresh", true}}
        ) == R"({"ts":"2026-08-07T13:12:44.007Z","level":"info","msg":"accepted",)"
             R"("pipeline":"default/podinfo","count":3,"took":0.25,"fresh":true})"
             "\n"
    );
}

TEST_CASE("a text line is readable and quotes only what needs it") {
    CHECK(
        text(
            "event accepted",
            {{"pipeline", "default/podinfo"}, {"why", "it is healthy"}, {"n", -1}, {"e", ""}}
        ) == "2026-08-07T13:12:44.007Z info  event accepted pipeline=default/podinfo why=\"it is "
             "healthy\" n=-1 e=\"\"\n"
    );
    CHECK(
        text("x", {{"q", "a\"b"}, {"eq", "a=b"}}) ==
        "2026-08-07T13:12:44.007Z info  x q=\"a\\\"b\" eq=\"a=b\"\n"
    );
}

TEST_CASE("each level is named") {
    for (const auto& [l, name] :
         {std::pair{level::debug, "debug"},
          {level::info, "info"},
          {level::warn, "warn"},
          {level::error, "error"}}) {
        const auto line = nlohmann::json::parse(format_line(format::json, at, l, "x", {}));
        CHECK(line["level"] == name);
        CHECK(format_line(format::text, at, l, "x", {}).find(name) != std::string::npos);
    }
}

TEST_CASE("whatever a string holds, the line stays one line of UTF-8 that a JSON parser reads") {
    for (const auto& input : hostile) {
        CAPTURE(input);
        for (const auto f : {format::json, format::text}) {
            auto line = format_line(f, at, level::info, input, {{"field", input}});
            REQUIRE(line.back() == '\n');
            line.pop_back();
            CHECK_FALSE(has_control(line));
            CHECK(is_utf8(line));
        }
        CHECK(nlohmann::json::parse(json(input, {{"field", input}})).size() == 4);
    }
}

TEST_CASE("well-formed strings come back from JSON as they were") {
    for (const auto& input : hostile) {
        if (!is_utf8(input)) continue;
        const auto read = nlohmann::json::parse(json(input, {{"field", input}}));
        CHECK(read["msg"] == input);
        CHECK(read["field"] == input);
    }
}

TEST_CASE("bytes that are no UTF-8 become the replacement character, one each") {
    const auto read = nlohmann::json::parse(json(
        "a\xff\xfe"
        "b\xe2\x82",
        {}
    ));
    CHECK(
        read["msg"] == "a\xef\xbf\xbd\xef\xbf\xbd"
                       "b\xef\xbf\xbd\xef\xbf\xbd"
    );
}

TEST_CASE("numbers JSON cannot write are null, the largest integers are exact") {
    const auto line = json(
        "x",
        {{"nan", std::numeric_limits<double>::quiet_NaN()},
         {"inf", std::numeric_limits<double>::infinity()},
         {"max", std::numeric_limits<std::int64_t>::max()}}
    );
    const auto read = nlohmann::json::parse(line);
    CHECK(read["nan"].is_null());
    CHECK(read["inf"].is_null());
    CHECK(read["max"] == std::numeric_limits<std::int64_t>::max());
}
