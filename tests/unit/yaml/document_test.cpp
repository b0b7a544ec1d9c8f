#include "tests/support/catch.hpp"
#include "yaml/document.hpp"

using nlohmann::json;
using sluice::yaml::document;
using sluice::yaml::position;
using sluice::yaml::read_documents;

namespace {

document one(std::string_view text) {
    auto read = read_documents(text);
    if (!read) FAIL(read.error().message);
    REQUIRE(read->size() == 1);
    return std::move(read->front());
}

std::string error_of(std::string_view text) {
    const auto read = read_documents(text);
    return read ? "no error" : read.error().message;
}

} // namespace

TEST_CASE("every value of a document knows its line and column") {
    const auto d = one("kind: Pipeline\n"
                       "spec:\n"
                       "  environments:\n"
                       "  - name: dev\n"
                       "    targets: [{namespace: a}, {namespace: b}]\n");
    CHECK(d.where("") == position{1, 1});
    CHECK(d.where("/kind") == position{1, 1});
    CHECK(d.where("/spec") == position{2, 1});
    CHECK(d.where("/spec/environments") == position{3, 3});
    CHECK(d.where("/spec/environments/0") == position{4, 5});
    CHECK(d.where("/spec/environments/0/name") == position{4, 5});
    CHECK(d.where("/spec/environments/0/targets/1/namespace") == position{5, 32});
}

TEST_CASE("a missing key is told at its nearest ancestor") {
    const auto d = one("spec:\n  appRef:\n    name: x\n");
    CHECK(d.where("/spec/appRef/kind") == position{2, 3});
    CHECK(d.where("/metadata/name") == position{1, 1});
}

TEST_CASE("columns count characters, so that they are right after an umlaut") {
    const auto d = one("{größe: 1, Ä: {ß: 2}}");
    CHECK(d.where("/Ä") == position{1, 12});
    CHECK(d.where("/Ä/ß") == position{1, 16});
}

TEST_CASE("documents of a stream keep the line numbers of the file, and empty ones are left out") {
    const auto read = read_documents("---\n# nothing\n---\na: 1\n---\n...\n---\nb: 2\n");
    REQUIRE(read.has_value());
    REQUIRE(read->size() == 2);
    CHECK(read->at(0).where("/a") == position{4, 1});
    CHECK(read->at(1).where("/b") == position{8, 1});
    CHECK(read_documents("")->empty());
    CHECK(read_documents("# only a comment\n")->empty());
}

TEST_CASE("a byte order mark and Windows line ends change nothing") {
    const auto d = one("\xEF\xBB\xBF"
                       "a: 1\r\nb:\r\n  c: two\r\n");
    CHECK(d.value == json::parse(R"({"a":1,"b":{"c":"two"}})"));
    CHECK(d.where("/a") == position{1, 1});
    CHECK(d.where("/b/c") == position{3, 3});
}

TEST_CASE("what was written is still known where it became a number") {
    const auto d = one("version: 1.10\nquoted: \"1.10\"\nlist: [0x1F, on]\n");
    CHECK(d.source("/version") == "1.10");
    CHECK(d.source("/quoted").empty());
    CHECK(d.source("/list/0") == "0x1F");
    CHECK(d.source("/list/1") == "on");
}

TEST_CASE("keys that are not strings are taken as they are written") {
    CHECK(
        one("1: a\ntrue: b\n1.10: c\n").value == json::parse(R"({"1":"a","true":"b","1.10":"c"})")
    );
}

TEST_CASE("a slash or tilde in a key is escaped in its pointer") {
    const auto d = one("annotations:\n  example.org/a~b: x\n");
    CHECK(d.where("/annotations/example.org~1a~0b") == position{2, 3});
    CHECK(d.value.at(json::json_pointer{"/annotations/example.org~1a~0b"}) == "x");
}

TEST_CASE("aliases and merge keys are expanded, and what is written beside them wins") {
    const auto d = one("base: &base {a: 1, b: 2}\n"
                       "more: &more {b: 3, c: 4}\n"
                       "one:\n  <<: *base\n  b: 9\n"
                       "two:\n  <<: [*base, *more]\n"
                       "three: *base\n"
                       "\"quoted\": {\"<<\": plain}\n");
    CHECK(d.value["one"] == json::parse(R"({"a":1,"b":9})"));
    CHECK(d.value["two"] == json::parse(R"({"a":1,"b":2,"c":4})"));
    CHECK(d.value["three"] == d.value["base"]);
    CHECK(d.value["quoted"] == json::parse(R"({"<<":"plain"})"));
    CHECK(d.where("/one/b") == position{5, 3});
    CHECK(d.where("/one/a") == position{1, 14});
}

TEST_CASE("block and quoted scalars keep their text") {
    const auto d = one("literal: |\n  a\n  b\nfolded: >-\n  a\n  b\ndouble: "
                       "\"a\\tb\\u00e4\"\nsingle: 'it''s'\nempty: ''\n");
    CHECK(
        d.value == json(
                       {{"literal", "a\nb\n"},
                        {"folded", "a b"},
                        {"double", "a\tb\u00e4"},
                        {"single", "it's"},
                        {"empty", ""}}
                   )
    );
}

TEST_CASE("broken YAML is told with line, column and what to do") {
    struct row {
        const char* text;
        const char* place;
        const char* says;
    };
    const std::vector<row> rows{
        {"a: 1\nb: [1, 2\n", "3:1: ", "flow sequence"},
        {"spec:\n  a: 1\n\tb: 2\n", "3:1: ", "indented with a tab"},
        {"spec:\n  pull-request:\n    url: x\n  \tbaseBranch: main\n", "4:", "indented with a tab"},
        {"a: 1\na: 2\n", "2:1: ", "the key \"a\" is there twice"},
        {"a: {b: 1, c: 2, b: 3}\n", "1:17: ", "the key \"b\" is there twice"},
        {"1: a\n\"1\": b\n", "2:1: ", "there twice"},
        {"<<: {a: 1}\n<<: {b: 1}\n", "2:1: ", "there twice"},
        {"a: *nowhere\n", "1:4: ", "*nowhere names no anchor"},
        {"a: &self [1, *self]\n", "1:14: ", "stands inside the value it names"},
        {"a: &self {b: {c: *self}}\n", "1:18: ", "stands inside the value it names"},
        {"<<: 3\n", "1:1: ", "<< takes a mapping"},
        {"? [a, b]\n: c\n", "1:3: ", "a key must be a word"},
        {"a: !!binary aGk=\n", "1:4: ", "tag"},
        {"a: !custom {b: 1}\n", "1:4: ", "tag"},
        {"a: .inf\n", "1:4: ", "quote it"},
        {"a: 1\nb: \xFF\n", "2:", "UTF-8"},
        {"a: \x01\n", "1:", "UTF-8"},
        {"a: b: c\n", "1:5: ", "mapping values are not allowed"},
        {"key: \"open\n", "2:1: ", "quoted scalar"},
        {"%YAML 3.0\n---\na: 1\n", "1:1: ", "incompatible YAML document"},
    };
    for (const auto& row : rows) {
        INFO("written: " << row.text << "\ntold: " << error_of(row.text));
        CHECK_THAT(error_of(row.text), Catch::StartsWith(row.place) && Catch::Contains(row.says));
    }
}

TEST_CASE("an anchor of one document does not reach into the next") {
    CHECK_THAT(error_of("a: &x 1\n---\nb: *x\n"), Catch::StartsWith("3:4: "));
}

TEST_CASE("UTF-16 is refused instead of being read by surprise") {
    CHECK_THAT(
        error_of(std::string_view{
            "\xFF\xFE"
            "a\0:\0 \0"
            "1\0",
            10
        }),
        Catch::Contains("UTF-8")
    );
}

TEST_CASE("aliases that explode are refused before memory is gone") {
    std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n";
    for (int i = 1; i < 12; ++i) {
        const auto below = "*a" + std::to_string(i - 1);
        text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
        for (int n = 0; n < 9; ++n) text += (n == 0 ? "" : ", ") + below;
        text += "]\n";
    }
    CHECK_THAT(error_of(text), Catch::Contains("expand to too much"));
}

TEST_CASE("merge keys that explode are refused too") {
    std::string text = "m0: &m0 {k0: 1, k1: 1, k2: 1, k3: 1, k4: 1, k5: 1, k6: 1, k7: 1}\n";
    for (int i = 1; i < 12; ++i) {
        const auto below = "*m" + std::to_string(i - 1);
        text += "m" + std::to_string(i) + ": &m" + std::to_string(i) + " {<<: [";
        for (int n = 0; n < 9; ++n) text += (n == 0 ? "" : ", ") + below;
        text += "]}\n";
    }
    CHECK_THAT(error_of(text), Catch::Contains("expand to too much"));
}

TEST_CASE("nesting is bounded at 64 levels, also through aliases") {
    const auto nested = [](int levels) {
        return std::string(static_cast<std::size_t>(levels), '[') +
               std::string(static_cast<std::size_t>(levels), ']');
    };
    CHECK(read_documents(nested(64)).has_value());
    CHECK_THAT(error_of(nested(66)), Catch::Contains("nested deeper than 64"));
    CHECK_THAT(error_of(std::string(100'000, '[')), Catch::Contains("1:"));
    CHECK_THAT(
        error_of(
            "a: &a " + nested(40) + "\nb: " + std::string(30, '[') + "*a" + std::string(30, ']') +
            "\n"
        ),
        Catch::Contains("nested deeper")
    );
}

TEST_CASE("a file beyond the size bound is refused") {
    CHECK_THAT(
        error_of(std::string(sluice::yaml::max_text + 1, ' ')), Catch::Contains("larger than 8 MiB")
    );
    CHECK_THAT(
        error_of("? " + std::string(2000, 'k') + "\n: 1\n"), Catch::Contains("key longer than")
    );
}
