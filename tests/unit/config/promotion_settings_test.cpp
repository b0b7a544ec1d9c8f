#include "config/consistency.hpp"
#include "config/room_options.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/config/loading.hpp"

using namespace sluice::config;
using namespace sluice::config::testing;
using namespace std::chrono_literals;
using Catch::Matchers::Contains;

namespace {

std::optional<std::string> no_variable(const std::string& /*name*/) {
    return std::nullopt;
}

} // namespace

TEST_CASE("what is set about promotions reaches the executor") {
    const temporary_file file{"state: /s\n"
                              "local-repositories: /srv/git\n"
                              "promotion:\n"
                              "  workers: 2\n"
                              "  poll: 5s\n"
                              "  first-retry: 100ms\n"
                              "  longest-retry: 1m\n"
                              "  author-name: Robot\n"
                              "  author-email: robot@example.org\n"
                              "  events-address: http://notification-controller.flux-system/\n"};
    const auto l = load_all(file);
    REQUIRE(l.has_value());
    const auto o = executor_options(l->values, no_variable);
    CHECK(o.workers == 2);
    CHECK(o.caches == "/s/git");
    CHECK(o.local_repositories == "/srv/git");
    CHECK(o.poll_every == 5s);
    CHECK(o.first_retry == 100ms);
    CHECK(o.longest_retry == 1min);
    CHECK(o.author.name == "Robot");
    CHECK(o.author.email == "robot@example.org");
    CHECK(o.events_address == "http://notification-controller.flux-system/");
}

TEST_CASE("without a folder for them, repositories of this machine are not allowed anywhere") {
    CHECK(executor_options(settings{}, no_variable).local_repositories.empty());
}

TEST_CASE("proxies come from the variables every program obeys, the lower-case name first") {
    const std::map<std::string, std::string> variables{
        {"HTTPS_PROXY", "http://upper:1"},
        {"https_proxy", "http://lower:1"},
        {"HTTP_PROXY", "http://plain:1"},
        {"no_proxy", "localhost"},
    };
    const auto o = http_options([&](const std::string& name) -> std::optional<std::string> {
        const auto found = variables.find(name);
        if (found == variables.end()) return std::nullopt;
        return found->second;
    });
    CHECK(o.https_proxy == "http://lower:1");
    CHECK(o.http_proxy == "http://plain:1");
    CHECK(o.no_proxy == "localhost");
}

TEST_CASE("an operator who allows Weave's approvals is warned, by pipeline") {
    const temporary_file file{"auth:\n  weave-approvals: [default/podinfo]\n"};
    const auto l = load_all(file);
    REQUIRE(l.has_value());
    const auto told = doubts(l->values);
    REQUIRE(told.size() == 1);
    CHECK_THAT(told.front(), Contains("default/podinfo") && Contains("bound"));
    CHECK(approval_options(l->values).weave_approvals.contains("default/podinfo"));
}

TEST_CASE("a longest retry below the first, and an author git cannot write, are refused") {
    CHECK_THAT(
        refusal("promotion: {first-retry: 1m, longest-retry: 10s}\n"),
        Contains("promotion.longest-retry")
    );
    CHECK_THAT(refusal("promotion: {author-name: \"A <B>\"}\n"), Contains("author-name"));
    CHECK_THAT(refusal("promotion: {events-address: nowhere}\n"), Contains("events-address"));
}
