#include "config/consistency.hpp"
#include "config/print.hpp"
#include "config/value.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/loading.hpp"

using namespace sluice::config;
using namespace sluice::config::testing;
using Catch::Matchers::Contains;

namespace {

std::vector<std::string> all_values(const settings& s) {
    std::vector<std::string> values;
    for (const auto& one : all_settings()) {
        for (const auto& text : written_form(one, s))
            values.push_back(std::string{one.path} + "=" + text);
    }
    return values;
}

} // namespace

TEST_CASE("the printed configuration tells where each value came from") {
    const temporary_file file{"limits:\n  body: 1MiB\n"};
    const auto l = load_all(file, {{"SLUICE_THREADS", "2"}}, {{"--log-format", {"json"}}});
    REQUIRE(l.has_value());
    const auto text = print(*l);
    CHECK_THAT(text, Contains("  body: 1MiB") && Contains("# " + file.path() + ":2:3\n"));
    CHECK_THAT(text, Contains("threads: 2") && Contains("# environment SLUICE_THREADS\n"));
    CHECK_THAT(text, Contains("  format: json") && Contains("# flag --log-format\n"));
    CHECK_THAT(text, Contains("  headers: 64KiB") && Contains("# default\n"));
}

TEST_CASE("the printed configuration loads back to the same values") {
    const temporary_file odd{R"(
pipelines: "with \"quotes\", # and: colons"
secrets: "ünïcödé"
state: "- yes"
listen: ["https://[::1]:0", "http://127.0.0.1:0"]
admin: "[::1]:0"
tls: {cert: "null", key: "1e3"}
limits: {headers: 65537, linger: 0s, idle: 1500ms}
auth: {allow-unsigned: [a/b, c/d], unauthorized-delay: 0s, trusted-proxies: []}
)"};
    const temporary_file none{""};
    for (const auto* file : {&odd, &none}) {
        const auto first = load_all(*file);
        REQUIRE(first.has_value());
        const temporary_file printed{print(*first)};
        const auto second = load_all(printed);
        REQUIRE(second.has_value());
        CHECK(all_values(second->values) == all_values(first->values));
    }
}

TEST_CASE("plain HTTP off the machine and unsigned pipelines deserve a warning, loopback does not"
) {
    const temporary_file file{R"(
listen: ["http://127.0.0.1:1", "http://[::1]:1", "http://localhost:1", "https://0.0.0.0:1", "http://0.0.0.0:2"]
auth: {allow-unsigned: [default/open]}
)"};
    const auto l = load_all(file);
    REQUIRE(l.has_value());
    const auto told = doubts(l->values);
    REQUIRE(told.size() == 2);
    CHECK_THAT(told[0], Contains("http://0.0.0.0:2 takes events over plain HTTP"));
    CHECK_THAT(told[1], Contains("default/open takes unsigned events"));
}
