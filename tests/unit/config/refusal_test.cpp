#include "tests/support/catch.hpp"
#include "tests/unit/config/loading.hpp"

using namespace sluice::config;
using namespace sluice::config::testing;
using Catch::Matchers::Contains;
using Catch::Matchers::StartsWith;

TEST_CASE("a mistake in the file is told with its line, its column and what to write instead") {
    struct row {
        const char* text;
        const char* message;
    };
    const row rows[] = {
        // unknown keys
        {"limist:\n  body: 1MiB\n",
         "f:1:1: limist is not a setting; remove or rename it (did you mean \"limits\"?)"},
        {"limits:\n  bdoy: 1MiB\n",
         "f:2:3: limits.bdoy is not a setting; remove or rename it (did you mean \"body\"?)"},
        {"tls:\n  client_ca: x\n",
         "f:2:3: tls.client_ca is not a setting; remove or rename it (did you mean \"client-ca\"?)"
        },
        {"body: 1MiB\n",
         "f:1:1: body is not a setting; remove or rename it (did you mean \"limits.body\"?)"},
        {"zzzzzzzz: 1\n", "f:1:1: zzzzzzzz is not a setting; remove or rename it"},
        {"a/b~c: 1\n", "f:1:1: a/b~c is not a setting; remove or rename it"},
        // wrong types
        {"limits: 3\n", "f:1:1: limits is a group; write its settings below it, indented"},
        {"threads: true\n", "f:1:1: threads must be one text or whole number; put texts into quotes"
        },
        {"threads: 1.5\n", "f:1:1: threads must be one text or whole number; put texts into quotes"
        },
        {"state:\n", "f:1:1: state must be one text or whole number; put texts into quotes"},
        {"state: [a, b]\n", "f:1:1: state must be one text or whole number; put texts into quotes"},
        {"listen: {a: b}\n", "f:1:1: listen must be a list of texts"},
        {"- a\n", "f:1:1: is not a mapping; write it as \"setting: value\" lines"},
        // wrong values and ranges
        {"limits: {body: 3MB}\n",
         "f:1:10: limits.body: \"3MB\" is not a size; write it as 512, 64KiB, 3MiB or 1GiB"},
        {"limits:\n  idle: 15\n",
         "f:2:3: limits.idle: \"15\" is not a duration; write it as 250ms, 30s, 15m or 72h"},
        {"threads: many\n", "f:1:1: threads: \"many\" is not a whole number"},
        {"threads: -1\n", "f:1:1: threads: -1 is out of range; it may be 0 to 256"},
        {"limits: {body: 1}\n", "f:1:10: limits.body: 1 is out of range; it may be 1KiB to 1GiB"},
        {"log: {format: jsno}\n",
         "f:1:7: log.format: \"jsno\" is not one of text, json (did you mean \"json\"?)"},
        {"ledger: {keep-promotions: 90m}\n",
         "f:1:10: ledger.keep-promotions: 90m is finer than this can be; round it up"},
        {"state: ''\n", "f:1:1: state: must not be empty"},
        {"auth: {allow-unsigned: [podinfo]}\n",
         "f:1:8: auth.allow-unsigned: \"podinfo\" does not name a pipeline; write it as "
         "NAMESPACE/PIPELINE"},
        {"auth: {trusted-proxies: [10.0.0.0/33]}\n",
         "f:1:8: auth.trusted-proxies: \"10.0.0.0/33\" is not a network; write it as 10.0.0.0/8, "
         "fd00::/8 or 192.0.2.7"},
        {"admin: https://127.0.0.1:1\n",
         "f:1:1: admin: \"https://127.0.0.1:1\" is not an address and port; write it as "
         "127.0.0.1:8081 or [::1]:8081, "
         "port 0 for a free one"},
        {"listen: ['']\n", "f:1:1: listen: has an empty element; remove it"},
        {"state: \"a\\u0007b\"\n",
         "f:1:1: state: has characters that cannot be printed; remove them"},
    };
    for (const auto& r : rows) {
        CAPTURE(r.text);
        CHECK(refusal(r.text) == r.message);
    }
}

TEST_CASE("broken YAML and duplicate keys are told with their place") {
    CHECK_THAT(refusal("limits: {body: 1MiB\n"), StartsWith("f:"));
    CHECK_THAT(refusal("threads: 1\nthreads: 2\n"), StartsWith("f:2:1: "));
    CHECK_THAT(refusal("threads: 1\n---\nthreads: 2\n"), StartsWith("f:3:1: a second document"));
}

TEST_CASE("a place to listen must be an address with a scheme and a port") {
    for (const char* url :
         {"8443",
          "https://127.0.0.1",
          "ftp://127.0.0.1:1",
          "https://example.org:1",
          "unix:/x",
          "https://127.0.0.1:70000"}) {
        CAPTURE(url);
        CHECK_THAT(
            refusal(std::string{"listen: ["} + '"' + url + "\"]\n"), StartsWith("f:1:1: listen: ")
        );
    }
}

TEST_CASE("all mistakes are told at once, wherever they were made") {
    const auto message = refusal(
        "threads: x\nlimist: 1\n", {{"SLUICE_LIMIT_BODY", "big"}}, {{"--limit-idle", {"soon"}}}
    );
    CHECK_THAT(message, Contains("f:1:1: threads: \"x\" is not"));
    CHECK_THAT(message, Contains("f:2:1: limist is not a setting"));
    CHECK_THAT(
        message, Contains("environment SLUICE_LIMIT_BODY: limits.body: \"big\" is not a size")
    );
    CHECK_THAT(message, Contains("flag --limit-idle: limits.idle: \"soon\" is not a duration"));
}

TEST_CASE("a file that cannot be read is told by name") {
    const auto l = load({.file = "/nonexistent/sluice.yaml", .environment = {}, .flags = {}});
    REQUIRE_FALSE(l.has_value());
    CHECK_THAT(l.error().message, Contains("/nonexistent/sluice.yaml") && Contains("--config"));
}

TEST_CASE("settings that cannot work together are refused with what to change") {
    CHECK_THAT(refusal("listen: []\n"), StartsWith("f:1:1: listen: is empty"));
    CHECK_THAT(
        refusal("tls:\n  cert: a\n"),
        StartsWith("f:2:3: tls: cert is set") && Contains("set tls.key too")
    );
    CHECK_THAT(
        refusal("tls: {key: a}\n"),
        StartsWith("f:1:7: tls: key is set") && Contains("set tls.cert too")
    );
    CHECK_THAT(
        refusal("listen: [\"http://127.0.0.1:1\"]\ntls: {client-ca: a}\n"),
        StartsWith("f:2:7: tls.client-ca: no https://")
    );
    CHECK_THAT(
        refusal("limits: {body: 2MiB, unverified-bodies: 1MiB}\n"),
        StartsWith("f:1:10: limits.body: 2MiB is more") &&
            Contains("raise limits.unverified-bodies")
    );
    // The other one is the default.
    CHECK_THAT(
        refusal("limits: {unverified-bodies: 1MiB}\n"),
        StartsWith("f:1:10: limits.body: 3MiB is more") &&
            Contains("raise limits.unverified-bodies")
    );
    CHECK_THAT(
        refusal("", {{"SLUICE_PROMOTION_LONGEST_RETRY", "1s"}}),
        StartsWith("environment SLUICE_PROMOTION_LONGEST_RETRY: promotion.longest-retry: 1s is less"
        )
    );
}

TEST_CASE("a contradiction is told beside other mistakes, unless it only follows from one") {
    const auto both = refusal("threads: x\ntls: {cert: a}\n");
    CHECK_THAT(
        both, Contains("f:1:1: threads: \"x\" is not") && Contains("f:2:7: tls: cert is set")
    );
    CHECK_THAT(refusal("listen: [nowhere]\ntls: {client-ca: a}\n"), !Contains("tls.client-ca"));
    CHECK_THAT(refusal("tls: {cert: a, key: [b]}\n"), !Contains("is set and"));
    // The key may stand in what could not be read.
    CHECK_THAT(refusal("tls: {key: b\n", {}, {{"--tls-cert", {"a"}}}), !Contains("is set and"));
}
