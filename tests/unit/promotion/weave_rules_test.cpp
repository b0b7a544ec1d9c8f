// What the library behind Weave's markers does, case by case, found by running it; and, at the end, its traps repaired.
#include "tests/support/catch.hpp"
#include "tests/unit/promotion/cases.hpp"

using namespace sluice::promotion;
using namespace sluice::promotion::test;

namespace {

constexpr edit_case behind_the_value[] = {
    {"a plain scalar", "v: a # @M\n", "v: 6.1.8 # @M\n"},
    {"several in one file", "v: a # @M\nw: b\nx: c # @M\n", "v: 6.1.8 # @M\nw: b\nx: 6.1.8 # @M\n"},
    {"more than one #", "v: a ### @M\n", "v: 6.1.8 ### @M\n"},
    {"no blank behind #", "v: a #@M\n", "v: 6.1.8 #@M\n"},
    {"a tab before #", "v: a\t# @M\n", "v: 6.1.8\t# @M\n"},
    {"no blank before # behind a quote", "v: \"a\"# @M\n", "v: \"6.1.8\"# @M\n"},
    {"blanks behind the JSON", "v: a # @M   \n", "v: 6.1.8 # @M   \n"},
    {"a whole image, not only its tag", "image: nginx:1.22 # @M\n", "image: 6.1.8 # @M\n"},
    {"a list item", "s:\n- a # @M\n- b\n", "s:\n- 6.1.8 # @M\n- b\n"},
    {"a value below its key", "v:\n\n  a # @M\n", "v:\n\n  6.1.8 # @M\n"},
    {"the comment behind the key, the value below", "v: # @M\n  1.2.3\n", "v: # @M\n  6.1.8\n"},
    {"the same with a note behind the value", "v: # @M\n  a # n\n", "v: # @M\n  6.1.8 # n\n"},
    {"an explicit key", "? v\n: a # @M\n", "? v\n: 6.1.8 # @M\n"},
    {"the marker behind an explicit key", "? v # @M\n: a\n", "? v # @M\n: 6.1.8\n"},
    {"the header of a block scalar", "v: | # @M\n  1.2\nw: b\n", "v: | # @M\n  6.1.8\nw: b\n"},
    {"a flow list sets every scalar in it", "s: [a, b] # @M\n", "s: [6.1.8, 6.1.8] # @M\n"},
    {"but nothing deeper", "s: [a, [b], {c: d}] # @M\n", "s: [6.1.8, [b], {c: d}] # @M\n"},
    {"an inner flow list", "s: [[a, b], # @M\n c]\n", "s: [[6.1.8, 6.1.8], # @M\n c]\n"},
    {"a flow list over lines", "s: [a,\n b\n] # @M\n", "s: [6.1.8,\n 6.1.8\n] # @M\n"},
    {"one item of a flow list", "s: [\n a, # @M\n b\n]\n", "s: [\n 6.1.8, # @M\n b\n]\n"},
    {"the last item of a flow list", "s: [\n a, b # @M\n]\n", "s: [\n a, 6.1.8 # @M\n]\n"},
    {"a member of a flow mapping",
     "s: {\n a: b, # @M\n c: d\n}\n",
     "s: {\n a: 6.1.8, # @M\n c: d\n}\n"},
    {"only the last member of the line",
     "s: {a: b, c: d, # @M\n e: f}\n",
     "s: {a: b, c: 6.1.8, # @M\n e: f}\n"},
    {"an item's own JSON wins over the list's",
     "s: [a, # {\"x\":\"y\"}\n b] # @M\n",
     "s: [a, # {\"x\":\"y\"}\n 6.1.8] # @M\n"},
    {"behind } it marks nothing", "s: {a: b} # @M\n", "s: {a: b} # @M\n"},
    {"behind [ it marks nothing", "s: [ # @M\n a, b]\n", "s: [ # @M\n a, b]\n"},
    {"behind the key of a mapping", "s: # @M\n  v: a\n", "s: # @M\n  v: a\n"},
    {"behind the key of a list", "s: # @M\n- a\n", "s: # @M\n- a\n"},
    {"an alias is never edited", "v: &x a # @M\nw: *x # @M\n", "v: &x 6.1.8 # @M\nw: *x # @M\n"},
    {"not an alias in a list either", "v: &x a\ns: [*x, b] # @M\n", "v: &x a\ns: [*x, 6.1.8] # @M\n"
    },
};

constexpr edit_case above_the_key[] = {
    {"one line above the key", "# @M\nv: a\n", "# @M\nv: 6.1.8\n"},
    {"a note behind the value hides nothing", "# @M\nv: a # n\n", "# @M\nv: 6.1.8 # n\n"},
    {"a number behind the value hides nothing", "# @M\nv: a # 5\n", "# @M\nv: 6.1.8 # 5\n"},
    {"an empty object hides nothing", "# @M\nv: a # {}\n", "# @M\nv: 6.1.8 # {}\n"},
    {"another tool's JSON hides it", "# @M\nv: a # {\"x\":\"y\"}\n", "# @M\nv: a # {\"x\":\"y\"}\n"
    },
    {"any JSON object hides it", "# @M\nv: a # {\"n\": 5}\n", "# @M\nv: a # {\"n\": 5}\n"},
    {"another promotion's marker hides it",
     "# @M\nv: a # {\"$promotion\": \"ns:app:dev\"}\n",
     "# @M\nv: a # {\"$promotion\": \"ns:app:dev\"}\n"},
    {"a line of text above the marker", "# n\n# @M\nv: a\n", "# n\n# @M\nv: a\n"},
    {"a line of text below the marker", "# @M\n# n\nv: a\n", "# @M\n# n\nv: a\n"},
    {"a document's comment, then the marker", "# n\n\n# @M\nv: a\n", "# n\n\n# @M\nv: 6.1.8\n"},
    {"the document's own comment", "# @M\n\nv: a\n", "# @M\n\nv: a\n"},
    {"empty lines on both sides", "k: z\n\n# @M\n\nv: a\n", "k: z\n\n# @M\n\nv: 6.1.8\n"},
    {"it belongs to the key above", "k: z\n# @M\n\nv: a\n", "k: z\n# @M\n\nv: a\n"},
    {"the first key of a block", "s:\n# @M\n  v: a\n  w: b\n", "s:\n# @M\n  v: 6.1.8\n  w: b\n"},
    {"an empty line below it in a new block", "s:\n  # @M\n\n  v: a\n", "s:\n  # @M\n\n  v: 6.1.8\n"
    },
    {"behind a deeper block", "s:\n  k: b\n# @M\nw: b\n", "s:\n  k: b\n# @M\nw: 6.1.8\n"},
    {"inside a deeper block it stays there",
     "s:\n  k: b\n  # @M\nw: b\n",
     "s:\n  k: b\n  # @M\nw: b\n"},
    {"a note of the deeper block before it",
     "s:\n  k: b\n  # n\n# @M\nw: b\n",
     "s:\n  k: b\n  # n\n# @M\nw: 6.1.8\n"},
    {"above a list item", "s:\n- a\n# @M\n- b\n", "s:\n- a\n# @M\n- 6.1.8\n"},
    {"above an item with a note of its own", "s:\n# @M\n- b # n\n", "s:\n# @M\n- b # n\n"},
    {"above an item that is a mapping", "s:\n# @M\n- x: a\n", "s:\n# @M\n- x: a\n"},
    {"behind - it is above what follows", "s:\n- # @M\n  d: e\n", "s:\n- # @M\n  d: 6.1.8\n"},
    {"behind - with a note below", "s:\n- # @M\n  # n\n  d: e\n", "s:\n- # @M\n  # n\n  d: e\n"},
    {"above a flow list it marks nothing", "# @M\ns: [a, b]\n", "# @M\ns: [a, b]\n"},
    {"above a block list it marks nothing", "# @M\ns:\n- a\n", "# @M\ns:\n- a\n"},
    {"above an item inside brackets", "s: [\n # @M\n a, b\n]\n", "s: [\n # @M\n 6.1.8, b\n]\n"},
    {"above a block scalar's key", "# @M\nv: |\n  1.2\nw: b\n", "# @M\nv: |\n  6.1.8\nw: b\n"},
    {"a line of a block scalar is no comment",
     "v: |\n  1.2\n  # @M\nw: b\n",
     "v: |\n  1.2\n  # @M\nw: b\n"},
    {"above an alias", "a: &x b\n# @M\nv: *x\n", "a: &x b\n# @M\nv: *x\n"},
    {"above a value below its key", "v:\n  # @M\n  a\n", "v:\n  # @M\n  6.1.8\n"},
    {"the first key of a document", "k: z\n---\n# @M\nv: a\n", "k: z\n---\n# @M\nv: 6.1.8\n"},
};

constexpr edit_case what_is_a_marker[] = {
    {"other tools' keys beside it",
     "v: a # {\"$imagepolicy\": \"x:y\", \"$promotion\": \"ns:app:prod\"}\n",
     "v: 6.1.8 # {\"$imagepolicy\": \"x:y\", \"$promotion\": \"ns:app:prod\"}\n"},
    {"two objects", "v: a # {\"x\": \"y\"} @M\n", "v: a # {\"x\": \"y\"} @M\n"},
    {"text behind it", "v: a # @M note\n", "v: a # @M note\n"},
    {"text in front of it", "v: a # see @M\n", "v: a # see @M\n"},
    {"a value that is no string",
     "v: a # {\"$promotion\": \"ns:app:prod\", \"n\": 1}\n",
     "v: a # {\"$promotion\": \"ns:app:prod\", \"n\": 1}\n"},
    {"null counts as an empty string",
     "v: a # {\"$promotion\": \"ns:app:prod\", \"n\": null}\n",
     "v: 6.1.8 # {\"$promotion\": \"ns:app:prod\", \"n\": null}\n"},
    {"the last of two equal keys counts",
     "v: a # {\"$promotion\": \"x:y:z\", \"$promotion\": \"ns:app:prod\"}\n",
     "v: 6.1.8 # {\"$promotion\": \"x:y:z\", \"$promotion\": \"ns:app:prod\"}\n"},
    {"blanks inside the value",
     "v: a # {\"$promotion\": \" ns:app:prod\"}\n",
     "v: a # {\"$promotion\": \" ns:app:prod\"}\n"},
    {"another environment",
     "v: a # {\"$promotion\": \"ns:app:dev\"}\n",
     "v: a # {\"$promotion\": \"ns:app:dev\"}\n"},
    {"another pipeline",
     "v: a # {\"$promotion\": \"ns:app2:prod\"}\n",
     "v: a # {\"$promotion\": \"ns:app2:prod\"}\n"},
    {"another namespace",
     "v: a # {\"$promotion\": \"ns2:app:prod\"}\n",
     "v: a # {\"$promotion\": \"ns2:app:prod\"}\n"},
    {"too few parts",
     "v: a # {\"$promotion\": \"app:prod\"}\n",
     "v: a # {\"$promotion\": \"app:prod\"}\n"},
    {"a # inside quotes is no comment",
     "v: \"a # @m\" # n \"$promotion\"\n",
     "v: \"a # @m\" # n \"$promotion\"\n"},
    {"the fact spelt out",
     "v: a # {\"$promotion\": \"ns:app:prod:revision\"}\n",
     "v: 6.1.8 # {\"$promotion\": \"ns:app:prod:revision\"}\n"},
};

constexpr edit_case repaired_traps[] = {
    {"a number gets no type tag", "v: 5 # @M\n", "v: 6.1.8 # @M\n"},
    {"a boolean gets no type tag", "v: true # @M\n", "v: 6.1.8 # @M\n"},
    {"null gets no type tag", "v: null # @M\nw: ~ # @M\n", "v: 6.1.8 # @M\nw: 6.1.8 # @M\n"},
    {"an empty value is filled", "v: # @M\nw: b\n", "v: 6.1.8 # @M\nw: b\n"},
    {"an empty value at the end of the file", "# @M\nv:", "# @M\nv: 6.1.8"},
    {"an empty item is filled, not the next one", "s:\n- # @M\n- b\n", "s:\n- 6.1.8 # @M\n- b\n"},
    {"an empty tagged value is filled", "v: !!str # @M\nw: b\n", "v: !!str 6.1.8 # @M\nw: b\n"},
    {"an empty anchored value is filled", "v: &x # @M\nw: b\n", "v: &x 6.1.8 # @M\nw: b\n"},
    {"an empty flow value is filled", "s: {a: # @M\n , c: d}\n", "s: {a: 6.1.8 # @M\n , c: d}\n"},
    {"an anchored mapping marks nothing", "v: &x # @M\n  a: b\n", "v: &x # @M\n  a: b\n"},
    {"a document that is a list",
     "- op: replace\n  value: a # @M\n",
     "- op: replace\n  value: 6.1.8 # @M\n"},
    {"a list of scalars", "# @M\n- a\n- b # @M\n", "# @M\n- 6.1.8\n- 6.1.8 # @M\n"},
    {"a directive", "%YAML 1.1\n---\nv: a # @M\n", "%YAML 1.1\n---\nv: 6.1.8 # @M\n"},
    {"a tag directive",
     "%TAG !e! tag:e.org:\n---\nv: !e!t a # @M\n",
     "%TAG !e! tag:e.org:\n---\nv: !e!t 6.1.8 # @M\n"},
    {"a mapping beside ---", "--- {v: a, # @M\n w: b}\n", "--- {v: 6.1.8, # @M\n w: b}\n"},
    {"a scalar metadata", "metadata: x\nv: a # @M\n", "metadata: x\nv: 6.1.8 # @M\n"},
    {"a List keeps its items where they are",
     "kind: List\nitems:\n- v: a # @M\n",
     "kind: List\nitems:\n- v: 6.1.8 # @M\n"},
    {"a quote in the revision",
     "v: \"a\" # @M\nw: 'a' # @M\n",
     "v: \"1\\\"'2\" # @M\nw: '1\"''2' # @M\n",
     "1\"'2"},
    {"a backslash in the revision",
     "v: \"a\" # @M\nw: b # @M\n",
     "v: \"1\\\\2\" # @M\nw: 1\\2 # @M\n",
     "1\\2"},
    {"minutes and seconds are quoted", "v: a # @M\n", "v: \"12:30\" # @M\n", "12:30"},
    {"a hash that looks like a number is quoted", "v: a # @M\n", "v: \"12e4567\" # @M\n", "12e4567"
    },
};

template <std::size_t N>
void try_all(const edit_case (&cases)[N]) {
    for (const auto& c : cases) {
        INFO(c.what << "\n" << c.before);
        CHECK(promoted(c.before, c.revision) == with_markers(c.after));
    }
}

} // namespace

TEST_CASE("a marker at the end of a line sets the value Weave would set") {
    try_all(behind_the_value);
}

TEST_CASE("a marker above a key or item sets the value Weave would set") {
    try_all(above_the_key);
}

TEST_CASE("a comment is a marker only where Weave takes it for one") {
    try_all(what_is_a_marker);
}

TEST_CASE("where Weave would have broken the file, the marked scalar alone is edited") {
    try_all(repaired_traps);
}

TEST_CASE("a marker that marks nothing is told with its line and the reason") {
    const auto strays = [](std::string_view text) {
        const auto found = find_markers(with_markers(text));
        REQUIRE(found.has_value());
        REQUIRE(found->scalars.empty());
        REQUIRE(found->strays.size() == 1);
        return std::to_string(found->strays[0].line) + ": " + found->strays[0].why;
    };
    using Catch::Matchers::Contains;
    CHECK_THAT(strays("k: z\ns: {a: b} # @M\n"), Contains("2: behind }"));
    CHECK_THAT(strays("s: # @M\n  v: a\n"), Contains("1: behind the key of a list or mapping"));
    CHECK_THAT(strays("# note\n# @M\nv: a\n"), Contains("2: ") && Contains("only comment line"));
    CHECK_THAT(strays("v: a # @M note\n"), Contains("one JSON object and nothing else"));
    CHECK_THAT(strays("a: &x b\nv: *x # @M\n"), Contains("2: an alias is never edited"));
    CHECK_THAT(strays("v: a\n# @M\n"), Contains("2: no value follows"));
    CHECK_THAT(
        strays("v: a\n# @M\n\nw: b\n"), Contains("2: this comment belongs to what stands above")
    );
    CHECK_THAT(strays("# @M\nv: a # {\"x\":\"y\"}\n"), Contains("another comment"));
    CHECK_THAT(
        strays("v: a # {\"$promotion\": \"ns:app:prod:version\"}\n"),
        Contains("\"version\" is no fact") && Contains("app-version")
    );
    CHECK_THAT(
        strays("v: a # {\"$promotion\": \"app:prod\"}\n"),
        Contains("is not namespace:pipeline:environment[:fact]")
    );
}

TEST_CASE("a file without the marker's bytes is not even parsed") {
    const auto found = find_markers("{{ not yaml: [");
    REQUIRE(found.has_value());
    CHECK(found->scalars.empty());
}
