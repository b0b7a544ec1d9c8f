#include "promotion/text/markdown.hpp"
#include "tests/support/catch.hpp"

namespace sluice::promotion::text {

TEST_CASE("what others wrote is shown in running text and obeyed by no renderer") {
    CHECK(inline_text("6.1.8") == "6.1.8");
    CHECK(inline_text("v1.2.3_rc-1+build") == "v1.2.3_rc-1+build");
    CHECK(inline_text("<img src=x>") == "&lt;img src=x&gt;");
    CHECK(inline_text("a&lt;b") == "a&amp;lt;b");
    CHECK(
        inline_text("[x](y) *b* ~s~ `c` a|b \\") ==
        "&#91;x&#93;(y) &#42;b&#42; &#126;s&#126; &#96;c&#96; a&#124;b &#92;"
    );
    CHECK(inline_text("@org/all and a@b") == "@&#8203;org/all and a@b");
    CHECK(inline_text("/merge") == "&#47;merge");
    CHECK(inline_text("a\n/merge\r\nb") == "a /merge  b");
}

TEST_CASE("code keeps whatever is in it, also in a table") {
    CHECK(code_span("6.1.8") == "`6.1.8`");
    CHECK(code_span("a`b``c") == "```a`b``c```");
    CHECK(code_span("`a") == "`` `a ``");
    CHECK(code_span("a|b") == "`a\\|b`");
    CHECK(code_span("a\nb") == "`a b`");
    CHECK(code_span("").empty());
    CHECK(code_span("  ").empty());
}

TEST_CASE("no line inside a block closes its fence") {
    CHECK(fenced("diff", "a\n", 100) == "```diff\na\n```\n");
    CHECK(fenced("diff", "+```\n+```` x", 100) == "`````diff\n+```\n+```` x\n`````\n");
}

TEST_CASE("a block is cut at a line and says so; where no line fits there is none") {
    std::string text;
    for (int i = 0; i < 100; ++i) text += "line " + std::to_string(i) + "\n";
    for (std::size_t limit = 0; limit < 400; ++limit) {
        const auto block = fenced("diff", text, limit);
        REQUIRE(block.size() <= limit);
        if (block.empty()) continue;
        REQUIRE(block.ends_with("\n… (cut)\n```\n"));
    }
    CHECK(fenced("diff", text, 25).empty());
    CHECK_FALSE(fenced("diff", text, 60).empty());
    CHECK(fenced("diff", text, 4096).find("cut") == std::string::npos);
}

TEST_CASE("only plain web addresses become links") {
    CHECK(link("https://ci.example/run/1?a=b&c=d#e") == "<https://ci.example/run/1?a=b&c=d#e>");
    CHECK(link("http://ci.example/") == "<http://ci.example/>");
    CHECK(link("javascript:alert(1)").empty());
    CHECK(link("https://ci.example/> **bold** <").empty());
    CHECK(link("https://ci.example/a\nb").empty());
    CHECK(link("").empty());
}

TEST_CASE("texts are cut between characters") {
    CHECK(shortened("abc", 3) == "abc");
    CHECK(shortened("abcdef", 5) == "ab…");
    CHECK(shortened("äöüäöü", 8) == "äö…");
    for (std::size_t limit = 3; limit < 12; ++limit)
        CHECK(shortened("äöüäöü€€", limit).size() <= limit);
    CHECK(one_line("a\r\nb\tc\x7f") == "a  b c ");
}

} // namespace sluice::promotion::text
