#include "pipeline/text_template.hpp"
#include "tests/support/catch.hpp"

using namespace sluice;
using namespace sluice::pipeline;

TEST_CASE("names are replaced, what has no value becomes nothing, double braces stay") {
    const template_values values{{"revision", "1.2.3"}, {"environment", "prod"}};
    CHECK(render("Promote {revision} into {environment}", values) == "Promote 1.2.3 into prod");
    CHECK(render("{revision}{revision}", values) == "1.2.31.2.3");
    CHECK(render("[{tag}]", values) == "[]");
    CHECK(render("{{revision}} {{{revision}}}", values) == "{revision} {1.2.3}");
    CHECK(render("", values).empty());
    CHECK(render("no names\nat all", values) == "no names\nat all");
}

TEST_CASE("a value that looks like a template is not rendered again") {
    CHECK(render("{url}", {{"url", "{revision}"}, {"revision", "1"}}) == "{revision}");
}

TEST_CASE("every name of the list may be used") {
    for (const auto& [name, meaning] : template_names()) {
        CHECK(check_template("{" + std::string{name} + "}").has_value());
        CHECK_FALSE(meaning.empty());
    }
    CHECK(template_names().size() == 14);
    CHECK(check_template("plain, {{ and }}").has_value());
    CHECK(check_template("").has_value());
}

TEST_CASE("a wrong template is told with its column and what was probably meant") {
    struct row {
        std::string text;
        std::string message;
    };
    const row rows[] = {
        {"to {revison}", "column 4: there is no {revison}; did you mean {revision}?"},
        {"{app-version}", "did you mean {appVersion}?"},
        {"{zebra}", "known are appVersion, diff"},
        {"line\n  {}", "column 3: there is no {}"},
        {"a { b", "column 3: { without }"},
        {"{revision", "column 1: { without }"},
        {"{re\nvision}", "column 1: { without }"},
        {"{a{revision}", "column 1: { without }"},
        {"revision}", "column 9: } without {"},
    };
    for (const auto& r : rows) {
        INFO(r.text);
        const auto checked = check_template(r.text);
        REQUIRE(checked.has_error());
        CHECK(checked.error().code == errc::invalid_argument);
        CHECK_THAT(checked.error().message, Catch::Contains(r.message));
    }
}

TEST_CASE("a template shows a value only where its name stands alone in braces") {
    CHECK(uses("what changed:\n{diff}", "diff"));
    CHECK(uses("{revision} {diff}", "diff"));
    CHECK_FALSE(uses("{revision}", "diff"));
    CHECK_FALSE(uses("{{diff}}", "diff"));
    CHECK(uses("{{{diff}}}", "diff"));
    CHECK_FALSE(uses("diff", "diff"));
    CHECK_FALSE(uses("", "diff"));
}
