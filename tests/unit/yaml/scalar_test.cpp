#include "tests/support/catch.hpp"
#include "yaml/scalar.hpp"

using nlohmann::json;
using sluice::yaml::resolve;

TEST_CASE("a plain scalar means what Kubernetes takes it for") {
    struct row {
        const char* text;
        json meaning;
    };
    const std::vector<row> rows{
        {"", nullptr},
        {"~", nullptr},
        {"null", nullptr},
        {"NULL", nullptr},
        {"true", true},
        {"yes", true},
        {"On", true},
        {"y", true},
        {"False", false},
        {"no", false},
        {"OFF", false},
        {"n", false},
        {"0", 0},
        {"42", 42},
        {"-7", -7},
        {"+7", 7},
        {"0x1F", 31},
        {"0o17", 15},
        {"017", 15},
        {"0b101", 5},
        {"1_000", 1000},
        {"1.10", 1.1},
        {"6.", 6.0},
        {".5", 0.5},
        {"1e3", 1000.0},
        {"-1.5E-2", -0.015},
        {"08", 8.0},
        {"18446744073709551615", 18446744073709551615ULL},
        {"-9223372036854775808", INT64_MIN},
        {"99999999999999999999", 1e20},
        {"6.1.8", "6.1.8"},
        {"v1", "v1"},
        {"1.2.3-rc.1", "1.2.3-rc.1"},
        {"2026-08-07", "2026-08-07"},
        {"12:30", "12:30"},
        {"yEs", "yEs"},
        {"-", "-"},
        {".", "."},
        {"+", "+"},
        {"0x", "0x"},
        {"infinity", "infinity"},
        {"nan", "nan"},
        {"-inf", "-inf"},
        {"1e400", "1e400"},
        {"1e", "1e"},
        {"--1", "--1"},
        {"+-1", "+-1"},
    };
    for (const auto& row : rows) {
        INFO("written: " << row.text);
        const auto read = resolve(row.text, true, "");
        REQUIRE(read.has_value());
        CHECK(*read == row.meaning);
        CHECK(read->type_name() == std::string{row.meaning.type_name()});
    }
}

TEST_CASE("what is quoted stays a string") {
    for (const auto* text : {"1.10", "true", "null", "", "on", "0x1f"}) {
        CHECK(*resolve(text, false, "") == json(text));
    }
}

TEST_CASE("a tag wins over the look of a scalar, and one that does not fit is refused") {
    const std::string prefix = "tag:yaml.org,2002:";
    CHECK(*resolve("1.10", true, prefix + "str") == json("1.10"));
    CHECK(*resolve("1.10", true, "!") == json("1.10"));
    CHECK(*resolve("12", false, prefix + "int") == json(12));
    CHECK(*resolve("12", true, prefix + "float") == json(12));
    CHECK(!resolve("abc", true, prefix + "int"));
    CHECK(!resolve("1.5", true, prefix + "int"));
    CHECK(!resolve("aGk=", true, prefix + "binary"));
    CHECK(
        resolve("x", true, "!vault").error().message == "the tag !vault is not supported; remove it"
    );
}

TEST_CASE("infinity and not-a-number are refused, since JSON has no word for them") {
    for (const auto* text : {".inf", "-.INF", ".nan", ".NaN"}) CHECK(!resolve(text, true, ""));
}
