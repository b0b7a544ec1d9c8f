#include "cli/command_line.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"
#include "tests/support/temp_folder.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>

using namespace sluice::cli;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

namespace {

struct ran {
    int code;
    std::string out;
    std::string err;
};

ran run_with(std::vector<std::string> arguments, const std::string& input = {}) {
    std::istringstream in{input};
    std::ostringstream out;
    std::ostringstream err;
    console c{in, out, err};
    const int code = run(std::move(arguments), c);
    return {code, out.str(), err.str()};
}

} // namespace

TEST_CASE("wrong usage is exit code 2 and says what is wrong, help is 0") {
    CHECK(run_with({}).code == 2);
    CHECK(run_with({"--help"}).code == 0);
    for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
             {"fly"},
             {"serve", "--no-such-flag"},
             {"serve", "--state"},
             {"serve", "--state", "a", "--state", "b"},
             {"sign"},
             {"lint"},
             {"promotions"},
             {"promotions", "list", "-o", "xml"},
             {"promotions", "list", "--state-is", "Sleeping"},
             {"promotions", "list", "--limit", "0"},
             {"promotions", "show"},
             {"promotions", "show", "podinfo"},
             {"approve"},
             {"approve", "podinfo"},
             {"reject", "default/podinfo/prod@6.1.8"},
             {"retry", "default/podinfo/prod@6.1.8", "-o", "table"},
             {"promote", "podinfo", "prod", "6.1.8"},
             {"promote", "default/podinfo", "prod"},
         }) {
        const auto r = run_with(arguments);
        CAPTURE(arguments, r.err);
        CHECK(r.code == 2);
        CHECK_FALSE(r.err.empty());
        CHECK(r.out.empty());
    }
}

TEST_CASE("version prints the version") {
    const auto r = run_with({"version"});
    CHECK(r.code == 0);
    CHECK_THAT(r.out, StartsWith("sluice "));
}

TEST_CASE("serve --print-config shows what the flags changed and starts nothing") {
    const auto r = run_with(
        {"serve",
         "--print-config",
         "--listen",
         "http://127.0.0.1:1",
         "--listen",
         "https://127.0.0.1:2"}
    );
    CHECK(r.code == 0);
    CHECK_THAT(r.out, Contains(R"(listen: ["http://127.0.0.1:1", "https://127.0.0.1:2"])"));
    CHECK_THAT(r.out, Contains("# flag --listen\n"));
}

TEST_CASE("serve refuses a wrong configuration with exit code 1 and every problem") {
    const auto r = run_with({"serve", "--limit-body", "much", "--listen", "nowhere"});
    CHECK(r.code == 1);
    CHECK_THAT(r.err, Contains("flag --limit-body: ") && Contains("flag --listen: "));
}

TEST_CASE("sign prints the header for the body on standard input, with the key only in a file") {
    const sluice::tests::temp_folder folder;
    folder.write("key", "secret");
    const auto key = folder / "key";
    const auto r = run_with({"sign", "--key-file", key.string()}, "hello");
    CHECK(r.code == 0);
    // printf hello | openssl dgst -sha256 -hmac secret
    CHECK(
        r.out ==
        "X-Signature: sha256=88aab3ede8d3adf94d26ab90d3bafd4a2083070c3bcce9c014ee04a443847c0b\n"
    );
    const auto github =
        run_with({"sign", "--key-file", key.string(), "--scheme", "github"}, "hello");
    CHECK(
        github.out == "X-Hub-Signature-256: "
                      "sha256=88aab3ede8d3adf94d26ab90d3bafd4a2083070c3bcce9c014ee04a443847c0b\n"
    );
}

TEST_CASE("sign tells a missing key, an unknown scheme and a bound signature without a path") {
    CHECK(run_with({"sign", "--key-file", "/nonexistent"}).code == 1);
    const sluice::tests::temp_folder folder;
    folder.write("key", "secret");
    const auto key = folder / "key";
    CHECK(run_with({"sign", "--key-file", key.string(), "--scheme", "rot13"}).code == 2);
    CHECK(run_with({"sign", "--key-file", key.string(), "--scheme", "bound"}).code == 2);
}

TEST_CASE("lint is 0 without mistakes and 1 with one") {
    const sluice::tests::temp_folder folder;
    folder.write("a.yaml", "apiVersion: pipelines.weave.works/v1alpha1\nkind: Pipeline\n");
    const auto bad = run_with({"lint", folder.path().string()});
    CHECK(bad.code == 1);
    CHECK_THAT(bad.out, Contains("a.yaml:"));
    const auto bad_json = run_with({"lint", "-o", "json", folder.path().string()});
    CHECK(bad_json.code == 1);
    CHECK_THAT(bad_json.out, StartsWith("{"));
}

TEST_CASE("promotions of a folder without a ledger are a failure that names the folder") {
    const sluice::tests::temp_folder folder;
    const auto r = run_with({"promotions", "list", "--state", folder.path().string()});
    CHECK(r.code == 1);
    CHECK_THAT(r.err, Contains(folder.path().string()) && Contains("--state"));
}

TEST_CASE("docs/command-line.md tells every command, and no flag that does not exist") {
    std::ifstream in{sluice::tests::source_tree() / "docs/command-line.md"};
    const std::string text{std::istreambuf_iterator<char>{in}, {}};
    std::string help;
    for (const std::vector<std::string>& asked : std::vector<std::vector<std::string>>{
             {"--help-all"}, {"promotions", "list", "--help"}, {"promotions", "show", "--help"}
         }) {
        help += run_with(asked).out;
    }
    for (const char* command :
         {"serve",
          "lint",
          "sign",
          "promotions",
          "approve",
          "reject",
          "retry",
          "cancel",
          "promote",
          "demo",
          "version"}) {
        CHECK_THAT(help, Contains(command));
        CHECK_THAT(text, Contains(std::string{"sluice "} + command));
    }
    const std::string of_curl = "--cacert --data-binary";
    for (auto at = text.find("--"); at != std::string::npos; at = text.find("--", at + 2)) {
        const auto end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-", at);
        const auto flag = text.substr(at, end - at);
        if (flag.find_first_not_of('-') == std::string::npos) continue; // the rule of a table
        if (of_curl.find(flag) != std::string::npos || flag == "--help") continue;
        CAPTURE(flag);
        CHECK_THAT(help, Contains(flag));
    }
}
