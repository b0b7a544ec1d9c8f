#include "cli/outcome_text.hpp"
#include "tests/support/catch.hpp"

#include <sstream>

using namespace sluice;
using namespace sluice::cli;
using Catch::Matchers::Contains;
using json = nlohmann::ordered_json;

namespace {

struct printed {
    int code = 0;
    std::string out;
    std::string err;

    printed(const result<json>& answer, bool as_json) {
        std::istringstream in;
        std::ostringstream to_out;
        std::ostringstream to_err;
        console c{in, to_out, to_err};
        code = print_outcome(answer, "approve", as_json, c);
        out = to_out.str();
        err = to_err.str();
    }
};

const json approved{
    {"decision", "promote"},
    {"reason", "control approved it"},
    {"promotion", "default/podinfo/prod@6.1.8"},
};

} // namespace

TEST_CASE("what was done is one line for people, and the server's answer for programs") {
    const printed line{approved, false};
    CHECK(line.code == 0);
    CHECK(line.out == "default/podinfo/prod@6.1.8: control approved it\n");
    const printed whole{approved, true};
    CHECK(json::parse(whole.out) == approved);
}

TEST_CASE("a reason that begins with the promotion does not name it twice") {
    auto again = approved;
    again["reason"] = "default/podinfo/prod@6.1.8 is Pending";
    CHECK(printed{again, false}.out == "default/podinfo/prod@6.1.8 is Pending\n");
}

TEST_CASE("what was refused is exit code 1 with the server's words, made harmless") {
    const printed refused{error{errc::conflict, "it was \x1b[31msuperseded"}, false};
    CHECK(refused.code == 1);
    CHECK(refused.out.empty());
    CHECK(refused.err == "sluice approve: it was ?[31msuperseded\n");
}

TEST_CASE("a preview shows the pull request, the diff and what to know about it") {
    const json preview{
        {"repository", "https://git.example.org/fleet"},
        {"baseBranch", "main"},
        {"branch", "promotion-default-podinfo-prod"},
        {"title", "Promote default/podinfo in prod to 6.1.8"},
        {"body", "first line\n\tsecond\x07 line"},
        {"diff", "-version: 6.1.7\n+version: 6.1.8\n"},
        {"remarks", {"a.yaml:3: is no YAML"}},
    };
    const auto text = preview_text(preview);
    CHECK_THAT(text, Contains("Promote default/podinfo in prod to 6.1.8\n"));
    CHECK_THAT(text, Contains("first line\n\tsecond? line\n"));
    CHECK_THAT(text, Contains("-version: 6.1.7\n+version: 6.1.8\n"));
    CHECK_THAT(text, Contains("note: a.yaml:3: is no YAML\n"));
    auto nothing = preview;
    nothing["diff"] = "";
    CHECK_THAT(preview_text(nothing), Contains("nothing to change"));
}
