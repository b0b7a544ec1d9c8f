#include "promotion/manifest/edit.hpp"
#include "promotion/manifest/scalar_text.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/promotion/cases.hpp"

using namespace sluice;
using namespace sluice::promotion;
using namespace sluice::promotion::test;
using Catch::Matchers::Contains;

namespace {

constexpr edit_case every_other_byte[] = {
    {"line ends of Windows", "a: b\r\nv: 1 # @M\r\nc: d\r\n", "a: b\r\nv: 6.1.8 # @M\r\nc: d\r\n"},
    {"old line ends of Macs", "a: b\rv: x # @M\rc: d\r", "a: b\rv: 6.1.8 # @M\rc: d\r"},
    {"mixed line ends", "a: b\r\nv: x # @M\nc: d\r\n", "a: b\r\nv: 6.1.8 # @M\nc: d\r\n"},
    {"a byte order mark", "\xEF\xBB\xBF# @M\nv: a\n", "\xEF\xBB\xBF# @M\nv: 6.1.8\n"},
    {"text beyond ASCII before the value",
     "näme: \"→ 世界 😀\" # ü\nv: a # @M\n",
     "näme: \"→ 世界 😀\" # ü\nv: 6.1.8 # @M\n"},
    {"text beyond ASCII in the old value", "v: \"ä→😀\" # @M\nw: ö\n", "v: \"6.1.8\" # @M\nw: ö\n"},
    {"no line end at the end", "v: a # @M", "v: 6.1.8 # @M"},
    {"blanks at line ends", "a: b  \nv: a    # @M\n\n\n", "a: b  \nv: 6.1.8    # @M\n\n\n"},
    {"uneven indentation",
     "s:\n      v:   a   # @M\n      w: [ a,b ]\n",
     "s:\n      v:   6.1.8   # @M\n      w: [ a,b ]\n"},
    {"documents and their marks",
     "---\na: b\n...\n---\n# c\nv: a # @M\n---\n...\n",
     "---\na: b\n...\n---\n# c\nv: 6.1.8 # @M\n---\n...\n"},
    {"anchors", "v: &ver a # @M\nw: *ver\n", "v: &ver 6.1.8 # @M\nw: *ver\n"},
    {"tags", "v: !!str a # @M\nw: !custom a # @M\n", "v: !!str 6.1.8 # @M\nw: !custom 6.1.8 # @M\n"
    },
    {"anchor and tag", "v: &x !!str \"a\" # @M\n", "v: &x !!str \"6.1.8\" # @M\n"},
    {"merge keys",
     "a: &a {x: y}\nb:\n  <<: *a\n  v: q # @M\n",
     "a: &a {x: y}\nb:\n  <<: *a\n  v: 6.1.8 # @M\n"},
    {"keys that are there twice", "v: a # @M\nv: b\n", "v: 6.1.8 # @M\nv: b\n"},
    {"JSON in a YAML file",
     "{\"v\": \"a\", # @M\n \"w\": [1, 2.0]}\n",
     "{\"v\": \"6.1.8\", # @M\n \"w\": [1, 2.0]}\n"},
    {"a value over two lines", "v: \"a\n  b\" # @M\nw: c\n", "v: \"6.1.8\" # @M\nw: c\n"},
    {"a plain value over two lines", "v: a\n  b # @M\nw: c\n", "v: 6.1.8 # @M\nw: c\n"},
    {"escapes in the old value", "v: \"a\\\"\\n\\u00e4\" # @M\n", "v: \"6.1.8\" # @M\n"},
    {"doubled quotes in the old value", "v: 'it''s' # @M\n", "v: '6.1.8' # @M\n"},
};

constexpr edit_case block_scalars[] = {
    {"literal", "v: | # @M\n  1.2\nw: b\n", "v: | # @M\n  6.1.8\nw: b\n"},
    {"without the last line break", "v: |- # @M\n  1.2\nw: b\n", "v: |- # @M\n  6.1.8\nw: b\n"},
    {"with all line breaks", "v: |+ # @M\n  1.2\n\n\nw: b\n", "v: |+ # @M\n  6.1.8\n\n\nw: b\n"},
    {"folded", "v: >- # @M\n    1.2\n    3\nw: b\n", "v: >- # @M\n    6.1.8\nw: b\n"},
    {"several lines", "v: | # @M\n  1\n\n  2\nw: b\n", "v: | # @M\n  6.1.8\nw: b\n"},
    {"an indentation indicator", "v: |2- # @M\n     1\nw: b\n", "v: |2- # @M\n  6.1.8\nw: b\n"},
    {"empty lines before the text", "v: |- # @M\n\n  1\nw: b\n", "v: |- # @M\n  6.1.8\nw: b\n"},
    {"blanks behind the text", "v: |- # @M\n  1  \nw: b\n", "v: |- # @M\n  6.1.8\nw: b\n"},
    {"line ends of Windows", "v: | # @M\r\n  1\r\nw: b\r\n", "v: | # @M\r\n  6.1.8\r\nw: b\r\n"},
    {"the end of the file", "v: | # @M\n  1", "v: | # @M\n  6.1.8"},
    {"what would need quotes elsewhere", "v: |- # @M\n  1\n", "v: |- # @M\n  1.0\n", "1.0"},
};

constexpr edit_case quotes[] = {
    {"a float", "v: a # @M\n", "v: \"1.10\" # @M\n", "1.10"},
    {"an integer", "v: a # @M\n", "v: \"6\" # @M\n", "6"},
    {"a boolean of YAML 1.1", "v: a # @M\n", "v: \"on\" # @M\n", "on"},
    {"an exponent", "v: a # @M\n", "v: \"1e3\" # @M\n", "1e3"},
    {"quotes that are there stay what they are", "v: '1.0' # @M\n", "v: '2.0' # @M\n", "2.0"},
    {"a version needs none", "v: 1 # @M\n", "v: v1.2.3-rc.1+b5 # @M\n", "v1.2.3-rc.1+b5"},
    {"a colon and blank", "v: a # @M\n", "v: \"a: b\" # @M\n", "a: b"},
    {"a # behind a blank", "v: a # @M\n", "v: \"a #b\" # @M\n", "a #b"},
    {"an indicator in front", "v: a # @M\n", "v: \"@1\" # @M\n", "@1"},
    {"a comma inside brackets", "s: [a] # @M\n", "s: [\"1,2\"] # @M\n", "1,2"},
    {"a comma elsewhere", "v: a # @M\n", "v: 1,2 # @M\n", "1,2"},
    {"a number that already stands there gets its quotes",
     "v: 1.0 # @M\n",
     "v: \"1.0\" # @M\n",
     "1.0"},
    {"text beyond ASCII", "v: a # @M\n", "v: größe # @M\n", "größe"},
};

template <std::size_t N>
void try_all(const edit_case (&cases)[N]) {
    for (const auto& c : cases) {
        INFO(c.what << "\n" << c.before);
        CHECK(promoted(c.before, c.revision) == with_markers(c.after));
    }
}

} // namespace

TEST_CASE("every byte but the marked value stays") {
    try_all(every_other_byte);
}

TEST_CASE("a block scalar keeps its header, its indentation and the line breaks at its end") {
    try_all(block_scalars);
}

TEST_CASE("a plain value is quoted exactly where a reader would not take it for a string") {
    try_all(quotes);
}

TEST_CASE("a value some reader takes for something else than a string is recognised") {
    for (const auto* text : {"",          "~",
                             "null",      "Null",
                             "true",      "FALSE",
                             "yes",       "No",
                             "on",        "off",
                             "y",         "1",
                             "-1",        "+1",
                             "007",       "0x1F",
                             "0o17",      "0b10",
                             "1_000",     "1.",
                             ".5",        "1.5",
                             "-1.5e-3",   "1e5",
                             "12e9999",   "123456789012345678901234567890",
                             ".inf",      "-.INF",
                             ".nan",      "12:30",
                             "1:02:03.5", "2026-01-01",
                             "2026-1-1",  "2026-01-01T10:00:00Z",
                             "=",         "<<"}) {
        INFO(text);
        CHECK_FALSE(reads_as_string(text));
    }
    for (const auto* text :
         {"6.1.8",
          "v1",
          "1.2.3-rc.1",
          "1a2b3c",
          "0x",
          "1e",
          "e1",
          "1.2.3+4",
          "main",
          "yess",
          "2026-01-01-build",
          "12:345",
          "nginx:1.22",
          "sha256:12",
          ".",
          "-",
          "1-2",
          "0b12"}) {
        INFO(text);
        CHECK(reads_as_string(text));
    }
}

TEST_CASE("what cannot be edited safely is refused with file and line") {
    CHECK_THAT(
        promoted("a: b\nw: !!int 5 # @M\n"),
        Contains("error: app.yaml:2: the tag") && Contains("remove it")
    );
    CHECK_THAT(
        promoted("a: b\nw: | # @M\n\nc: d\n"),
        Contains("error: app.yaml:2: the marked block scalar is empty")
    );
    CHECK_THAT(
        promoted("w: a # @M\n", "6\n1"),
        Contains("error: app.yaml:1: the new value must be one line")
    );
    CHECK_THAT(
        promoted("w: a # @M\n", "6\xFF"),
        Contains("error: app.yaml:1: the new value must be one line")
    );
    CHECK_THAT(
        promoted(
            "w: a # @M\n",
            "6\xE2\x80\xA8"
            "1"
        ),
        Contains("must be one line")
    );
    CHECK_THAT(
        promoted("v: |2 # @M\n     \n  x\n", " 1"),
        Contains("error: app.yaml:1: writing the new value here")
    );
}

TEST_CASE("a block scalar whose lines readers disagree about is left alone") {
    CHECK_THAT(
        promoted("v: >- # @M\n \xE2\x80\xA8%YAML 1.1\n---\na\n"),
        Contains("error: app.yaml:1: the marked block scalar holds line breaks other than LF")
    );
}

TEST_CASE("an edit planned for other bytes is refused") {
    const auto found = find_markers(with_markers("v: abc # @M\n"));
    REQUIRE(found.has_value());
    const scalar_edit planned[] = {{found->scalars.at(0).scalar, "6.1.8"}};
    const auto other = edited(with_markers("v: abcd # @M\n"), planned);
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().code == errc::unprocessable);
    CHECK_THAT(other.error().message, Contains("1: the file is not the one"));
}

TEST_CASE("two edits of one scalar must agree") {
    const auto bytes = with_markers("v: abc # @M\n");
    const auto place = find_markers(bytes)->scalars.at(0).scalar;
    const scalar_edit agree[] = {{place, "2"}, {place, "2"}};
    const scalar_edit differ[] = {{place, "2"}, {place, "3"}};
    CHECK(edited(bytes, agree).value() == with_markers("v: \"2\" # @M\n"));
    CHECK_FALSE(edited(bytes, differ).has_value());
}
