#include "auth/digest.hpp"
#include "base/rfc3339.hpp"
#include "embedded/sqlite_ledger.hpp"
#include "intake/intake.hpp"
#include "tests/home/ledger_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <fmt/format.h>

using namespace sluice;
using namespace std::chrono_literals;
using pipeline::verdict_on_event;

namespace {

pipeline::definition_ptr podinfo() {
    pipeline::definition d;
    d.name = {"default", "podinfo"};
    d.app = {"helm.toolkit.fluxcd.io", "HelmRelease", "podinfo"};
    for (const auto* name : {"dev", "staging", "prod"}) {
        pipeline::environment e;
        e.name = name;
        e.targets.push_back({"podinfo", std::nullopt});
        d.environments.push_back(e);
    }
    d.promotion.emplace();
    d.promotion->strategy.how = pipeline::notification_strategy{};
    return std::make_shared<const pipeline::definition>(std::move(d));
}

// The door with a real ledger behind it.
struct door {
    tests::temp_folder folder;
    manual_clock clock{*parse_rfc3339("2026-08-07T13:00:00Z")};
    observe::registry metrics;
    std::unique_ptr<home::ledger> ledger = open_ledger();
    intake::intake intake{*ledger, clock, metrics, {}};
    pipeline::definition_ptr pipeline = podinfo();

    std::unique_ptr<home::ledger> open_ledger() {
        auto opened = embedded::sqlite_ledger::open(
            folder / "sluice.db", {}, clock, metrics, [](const std::string&) { std::terminate(); }
        );
        if (!opened) throw std::runtime_error(opened.error().message);
        return std::move(*opened);
    }

    [[nodiscard]] std::string event(std::string_view revision, std::string_view reason) const {
        return fmt::format(
            R"({{"involvedObject":{{"kind":"HelmRelease","namespace":"podinfo","name":"podinfo",)"
            R"("apiVersion":"helm.toolkit.fluxcd.io/v2"}},"severity":"{}","timestamp":"{}",)"
            R"("message":"Helm upgrade","reason":"{}","metadata":{{"revision":"{}"}},)"
            R"("reportingController":"helm-controller"}})",
            reason.ends_with("Failed") ? "error" : "info",
            format_rfc3339(clock.now()),
            reason,
            revision
        );
    }

    result<intake::receipt> send(const std::string& body, std::string environment = "dev") {
        return send(body, std::move(environment), by_body(body));
    }

    result<intake::receipt>
    send(const std::string& body, std::string environment, const auth::verified& proof) {
        intake::notice n;
        n.pipeline = pipeline;
        n.environment = std::move(environment);
        n.body = body;
        n.proof = proof;
        return tests::get(intake.receive(std::move(n)));
    }

    static auth::verified by_body(std::string_view body) {
        const std::string_view parts[] = {body};
        return {.signed_at = std::nullopt, .digest = auth::sha256(parts)};
    }
    // By Standard Webhooks alone.
    static auth::verified by_standard(std::string_view body, time_point at) {
        const auto when = format_rfc3339(at);
        const std::string_view parts[] = {"msg_1.", when, ".", body};
        return {.signed_at = at, .digest = auth::sha256(parts)};
    }
};

} // namespace

TEST_CASE("a healthy release becomes a promotion into the next environment") {
    door d;
    const auto received = d.send(d.event("6.1.8", "UpgradeSucceeded"));
    REQUIRE(received.has_value());
    CHECK(received->answer.what == verdict_on_event::promote);
    CHECK(received->answer.promotion == "default/podinfo/staging@6.1.8");
    CHECK_FALSE(received->repeated);
}

TEST_CASE("a sender that repeats itself gets its first answer, and nothing happens twice") {
    door d;
    const auto body = d.event("6.1.8", "UpgradeSucceeded");
    const auto first = d.send(body);
    d.clock.advance(9min);
    const auto again = d.send(body);
    REQUIRE(first.has_value());
    REQUIRE(again.has_value());
    CHECK(again->repeated);
    CHECK(again->answer.promotion == first->answer.promotion);
    CHECK(again->answer.reason == first->answer.reason);
    CHECK(tests::get(d.ledger->list({}))->size() == 1);
}

TEST_CASE("bytes signed for dev say nothing about staging") {
    door d;
    const auto body = d.event("6.1.8", "UpgradeSucceeded");
    REQUIRE(d.send(body).has_value());
    const auto elsewhere = d.send(body, "staging");
    REQUIRE_FALSE(elsewhere.has_value());
    CHECK(elsewhere.error().code == errc::unauthenticated);
}

TEST_CASE("bytes signed twice over for dev say nothing about staging when one signature is left out"
) {
    door d;
    const auto body = d.event("6.1.8", "UpgradeSucceeded");
    auto both = door::by_body(body);
    both.signed_at = d.clock.now();
    REQUIRE(d.send(body, "dev", both).has_value());
    const auto standard = door::by_standard(body, d.clock.now());
    const auto elsewhere = d.send(body, "staging", standard);
    REQUIRE_FALSE(elsewhere.has_value());
    CHECK(elsewhere.error().code == errc::unauthenticated);
    CHECK(d.send(body, "dev", standard).has_value());
}

TEST_CASE("two messages with the same words are two where their signatures cover who and when") {
    door d;
    const std::string body = R"({"revision":"6.1.8"})";
    REQUIRE(d.send(body, "dev", door::by_standard(body, d.clock.now())).has_value());
    CHECK(d.send(body, "staging", door::by_standard(body, d.clock.now() + 1s)).has_value());
}

TEST_CASE("a signature of another hour is stale, whatever time its event tells") {
    door d;
    const auto body = d.event("6.1.8", "UpgradeSucceeded");
    const auto [later, fresh] = GENERATE(
        std::pair{9min, true},
        std::pair{-9min, true},
        std::pair{11min, false},
        std::pair{-11min, false}
    );
    const auto received = d.send(body, "dev", door::by_standard(body, d.clock.now() + later));
    CHECK(received.has_value() == fresh);
    if (!fresh) CHECK(received.error().code == errc::stale);
}

TEST_CASE("an old recording of a signed event is refused, whether it was seen before or not") {
    door d;
    const auto body = d.event("6.1.8", "UpgradeSucceeded");
    const bool seen = GENERATE(false, true);
    if (seen) REQUIRE(d.send(body).has_value());
    d.clock.advance(11min);
    const auto replayed = d.send(body);
    REQUIRE_FALSE(replayed.has_value());
    CHECK(replayed.error().code == errc::stale);
}

TEST_CASE("an event from the future is refused, for the clocks disagree") {
    door d;
    const auto body = d.event("6.1.8", "UpgradeSucceeded");
    d.clock.advance(-11min);
    CHECK(d.send(body).error().code == errc::stale);
}

TEST_CASE("a server whose clock was three days ahead hears its environments again once it is right"
) {
    door d;
    d.clock.advance(72h);
    const auto ahead = d.event("6.1.8", "UpgradeSucceeded");
    CHECK(d.send(ahead)->answer.what == verdict_on_event::promote);
    d.clock.advance(-72h);
    CHECK(d.send(d.event("6.1.9", "UpgradeSucceeded"))->answer.what == verdict_on_event::promote);
    CHECK(d.send(ahead).error().code == errc::stale);
    d.clock.advance(1s);
    const auto failed = d.send(d.event("6.1.9", "UpgradeFailed"));
    CHECK(failed->answer.promotion == "default/podinfo/staging@6.1.9"); // held, not stale
}

TEST_CASE("what cannot be read or does not fit the Pipeline is told apart") {
    door d;
    CHECK(d.send("{").error().code == errc::invalid_argument);
    auto other = d.event("6.1.8", "UpgradeSucceeded");
    other.replace(other.find("HelmRelease"), 11, "Deployments");
    CHECK(d.send(other).error().code == errc::unprocessable);
    CHECK(
        d.send(d.event("6.1.8", "UpgradeSucceeded"), "nowhere").error().code == errc::unprocessable
    );
    CHECK(tests::get(d.ledger->list({}))->empty());
}

TEST_CASE("a failed release is recorded and promotes nothing") {
    door d;
    const auto received = d.send(d.event("6.1.8", "UpgradeFailed"));
    REQUIRE(received.has_value());
    CHECK(received->answer.what == verdict_on_event::record);
    CHECK(tests::get(d.ledger->list({}))->empty());
}

TEST_CASE("the link to the CI run travels from a trigger to its promotion") {
    door d;
    const auto body = fmt::format(
        R"({{"revision":"6.1.8","timestamp":"{}","url":"https://ci.example.org/runs/1"}})",
        format_rfc3339(d.clock.now())
    );
    REQUIRE(d.send(body).has_value());
    const auto shown = tests::get(d.ledger->show("default/podinfo/staging@6.1.8"));
    REQUIRE(shown.has_value());
    CHECK(shown->promotion.url == "https://ci.example.org/runs/1");
}
