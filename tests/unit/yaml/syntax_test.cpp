#include "tests/support/catch.hpp"
#include "yaml/syntax.hpp"

using namespace sluice::yaml;

namespace {

// The tree in one line: scalars as they are written, aliases with *, missing scalars as _.
std::string shape(const syntax& file, std::size_t id, std::string_view text) {
    const auto& n = file.nodes[id];
    if (n.what == syntax_node::kind::alias) return "*" + n.text;
    if (n.what == syntax_node::kind::scalar) {
        return n.missing ? "_" : std::string{text.substr(n.begin, n.end - n.begin)};
    }
    const bool list = n.what == syntax_node::kind::sequence;
    std::string out = list ? "[" : "{";
    for (std::size_t i = 0; i < n.children.size(); ++i) {
        if (i > 0) out += list || i % 2 == 0 ? " " : ":";
        out += shape(file, n.children[i], text);
    }
    return out + (list ? "]" : "}");
}

std::string shapes(std::string_view text) {
    const auto file = parse_syntax(text);
    if (!file) return "error: " + file.error().message;
    std::string out;
    for (const auto root : file->documents) {
        if (!out.empty()) out += " | ";
        out += shape(*file, root, text);
    }
    return out;
}

} // namespace

TEST_CASE("the syntax tree holds every scalar with the bytes it is written with") {
    CHECK(shapes("a: b\nc: 'd'\n") == "{a:b c:'d'}");
    CHECK(shapes("a:\n- b\n- c: d\n  e: f\n") == "{a:[b {c:d e:f}]}");
    CHECK(shapes("a:\n  - b\n  -\n  - - c\n") == "{a:[b _ [c]]}");
    CHECK(shapes("a: [b, {c: d, e}, f: g, [h]]\n") == "{a:[b {c:d e:_} {f:g} [h]]}");
    CHECK(shapes("a: {}\nb: []\nc:\nd: \"\"\n") == "{a:{} b:[] c:_ d:\"\"}");
    CHECK(shapes("? a\n: b\n? c\n") == "{a:b c:_}");
    CHECK(shapes("? [a, b]\n: c\n? {d: e}\n: - f\n") == "{[a b]:c {d:e}:[f]}");
    CHECK(shapes("a: &x !!str b\nc: *x\n") == "{a:b c:*x}");
    CHECK(shapes("a: &x\n  b: c\nd: !t\n") == "{a:{b:c} d:_}");
    CHECK(shapes("a: |\n  b\n\nc: d\n") == "{a:|\n  b\n\n c:d}");
    CHECK(shapes("\xEF\xBB\xBFä: \"ö😀\" # →\r\nü: é\r\n") == "{ä:\"ö😀\" ü:é}");
    CHECK(shapes("%YAML 1.1\n---\na\n...\n---\n---\n- b\n") == "a | _ | [b]");
    CHECK(shapes("").empty());
    CHECK(shapes("# nothing\n").empty());
    CHECK_THAT(shapes("a: [b\n"), Catch::StartsWith("error: 2:1: "));
}

TEST_CASE("comments are found with their place, and nothing in a scalar is one") {
    const auto file = parse_syntax(
        "# one\r\na: 'x # y' # two\n  # ä three\nb: | # four\n  # no\n# five\nc: d#no\n"
    );
    REQUIRE(file.has_value());
    struct expected {
        int line, column;
        bool own_line;
    };
    const std::vector<expected> all{
        {1, 1, true}, {2, 12, false}, {3, 3, true}, {4, 6, false}, {6, 1, true}
    };
    REQUIRE(file->comments.size() == all.size());
    for (std::size_t i = 0; i < all.size(); ++i) {
        INFO(i);
        CHECK(file->comments[i].line == all[i].line);
        CHECK(file->comments[i].column == all[i].column);
        CHECK(file->comments[i].own_line == all[i].own_line);
    }
}
