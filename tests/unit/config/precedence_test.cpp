#include "tests/support/catch.hpp"
#include "tests/unit/config/loading.hpp"

using namespace sluice::config;
using namespace sluice::config::testing;
using namespace std::chrono_literals;

TEST_CASE("flags win over the environment, the environment over the file, the file over defaults") {
    struct row {
        const char* file;
        environment_map environment;
        flag_map flags;
        std::size_t body;
        std::string origin;
    };
    const environment_map from_environment{{"SLUICE_LIMIT_BODY", "2MiB"}};
    const flag_map from_flag{{"--limit-body", {"4MiB"}}};
    const char* const from_file = "limits:\n  body: 1MiB\n";
    const std::size_t MiB = 1024 * 1024;
    const row rows[] = {
        {"", {}, {}, 3 * MiB, ""},
        {from_file, {}, {}, 1 * MiB, "FILE:2:3"},
        {"", from_environment, {}, 2 * MiB, "environment SLUICE_LIMIT_BODY"},
        {"", {}, from_flag, 4 * MiB, "flag --limit-body"},
        {from_file, from_environment, {}, 2 * MiB, "environment SLUICE_LIMIT_BODY"},
        {from_file, {}, from_flag, 4 * MiB, "flag --limit-body"},
        {"", from_environment, from_flag, 4 * MiB, "flag --limit-body"},
        {from_file, from_environment, from_flag, 4 * MiB, "flag --limit-body"},
    };
    for (const auto& r : rows) {
        const temporary_file file{r.file};
        const auto l = load_all(file, r.environment, r.flags);
        REQUIRE(l.has_value());
        CHECK(l->values.limits.body_bytes == r.body);
        const auto found = l->origins.find("limits.body");
        auto origin = found == l->origins.end() ? std::string{} : found->second;
        if (origin.starts_with(file.path())) origin.replace(0, file.path().size(), "FILE");
        CHECK(origin == r.origin);
    }
}

TEST_CASE("every kind of setting can be written in the file") {
    const temporary_file file{R"(
pipelines: /srv/pipelines
listen:
- https://127.0.0.1:0
- http://[::1]:8080
threads: 3
tls: {cert: /srv/tls.crt, key: /srv/tls.key}
log: {format: json, level: debug}
limits: {headers: 65536, body: 2MiB, idle: 5s}
auth:
  allow-unsigned: [default/podinfo]
  trusted-proxies: [10.0.0.0/8, "fd00::/8"]
  freshness: 5m
ledger: {keep-promotions: 48h}
)"};
    const auto l = load_all(file);
    REQUIRE(l.has_value());
    const auto& s = l->values;
    CHECK(s.pipelines == "/srv/pipelines");
    CHECK(s.listen == std::vector<std::string>{"https://127.0.0.1:0", "http://[::1]:8080"});
    CHECK(s.threads == 3);
    CHECK(s.tls.certificate == "/srv/tls.crt");
    CHECK(s.log.format == sluice::log::format::json);
    CHECK(s.log.level == sluice::log::level::debug);
    CHECK(s.limits.header_bytes == 65'536);
    CHECK(s.limits.idle == 5s);
    CHECK(s.auth.allow_unsigned == std::vector<std::string>{"default/podinfo"});
    CHECK(s.auth.trusted_proxies == std::vector<std::string>{"10.0.0.0/8", "fd00::/8"});
    CHECK(s.auth.freshness == 5min);
    CHECK(s.ledger.retention.promotions_for == 48h);
    CHECK(l->warnings.empty());
}

TEST_CASE("a list in the environment is separated by commas, a list of flags by repeating the flag"
) {
    const temporary_file file{"listen: https://127.0.0.1:1\n"};
    const auto by_environment =
        load_all(file, {{"SLUICE_LISTEN", "https://127.0.0.1:2,http://127.0.0.1:3"}});
    REQUIRE(by_environment.has_value());
    CHECK(
        by_environment->values.listen ==
        std::vector<std::string>{"https://127.0.0.1:2", "http://127.0.0.1:3"}
    );
    const auto by_flags =
        load_all(file, {}, {{"--listen", {"http://127.0.0.1:4", "http://127.0.0.1:5"}}});
    REQUIRE(by_flags.has_value());
    CHECK(
        by_flags->values.listen ==
        std::vector<std::string>{"http://127.0.0.1:4", "http://127.0.0.1:5"}
    );
}

TEST_CASE("a file with everything commented out is a configuration of defaults") {
    for (const char* text : {"", "# nothing\n", "limits:\n#  body: 1MiB\n", "---\n"}) {
        const temporary_file file{text};
        CHECK(load_all(file).has_value());
    }
}

TEST_CASE("an unknown SLUICE_ variable is told with the nearest name and does not stop the start") {
    const auto l = load({.file = "", .environment = {{"SLUICE_LIMIT_BDOY", "1MiB"}}, .flags = {}});
    REQUIRE(l.has_value());
    REQUIRE(l->warnings.size() == 1);
    CHECK(
        l->warnings[0] == "environment SLUICE_LIMIT_BDOY: no setting of that name, ignored (did "
                          "you mean \"SLUICE_LIMIT_BODY\"?)"
    );
}

TEST_CASE("variables that Kubernetes adds for a Service called sluice are no reason for a word") {
    const environment_map links{
        {"SLUICE_SERVICE_HOST", "10.0.0.1"},
        {"SLUICE_SERVICE_PORT", "8443"},
        {"SLUICE_SERVICE_PORT_HTTPS", "8443"},
        {"SLUICE_PORT", "tcp://10.0.0.1:8443"},
        {"SLUICE_PORT_8443_TCP_ADDR", "10.0.0.1"},
        {"SLUICE_ADMIN_PORT_8081_TCP", "tcp://10.0.0.2:8081"},
        {"SLUICE_FAILPOINTS", "x=kill"},
        {"SLUICE_CONFIG", "/etc/sluice.yaml"},
    };
    const auto l = load({.file = "", .environment = links, .flags = {}});
    REQUIRE(l.has_value());
    CHECK(l->warnings.empty());
}
