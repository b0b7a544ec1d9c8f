#include "pipeline/slots.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

slot held_by(const deployment_event& e) {
    return *last_word(nullptr, e, at(0));
}

// "1.1.0 healthy", "1.1.0 healthy tested", "- uninstalled"; "stale" when the report changes nothing.
std::string after(const deployment_event& before, const deployment_event& report) {
    const auto known = held_by(before);
    const auto s = last_word(&known, report, at(600));
    if (!s) return "stale";
    const char* names[] = {"healthy", "failed", "rolled back", "uninstalled", "none"};
    std::string text = s->facts.revision.empty() ? "-" : s->facts.revision;
    text += std::string{" "} + names[static_cast<int>(s->verdict)];
    if (s->tested) text += " tested";
    return text;
}

} // namespace

TEST_CASE("the last word about a target is the one signed last") {
    struct row {
        deployment_event before;
        deployment_event report;
        std::string slot;
    };
    const row rows[] = {
        {healthy("1.0.0", 10), healthy("1.1.0", 20), "1.1.0 healthy"},
        {healthy("1.1.0", 10), healthy("1.0.0", 20), "1.0.0 healthy"},
        {healthy("1.1.0", 20), healthy("1.0.0", 10), "stale"},
        {healthy("1.1.0", 20), failure("1.1.0", 19), "stale"},
        {failure("1.1.0", 20), healthy("1.1.0", 21), "1.1.0 healthy"},
        {healthy("1.1.0", 20), flux("1.0.0", verdict::rolled_back, 21), "1.0.0 rolled back"},
        {healthy("1.1.0", 20), flux("1.1.0", verdict::uninstalled, 21), "- uninstalled"},
        {flux("1.1.0", verdict::uninstalled, 20), healthy("1.1.0", 19), "stale"},
        {flux("1.1.0", verdict::uninstalled, 20), healthy("1.1.0", 21), "1.1.0 healthy"},
        {healthy("1.1.0", 20), tested("1.1.0", 21), "1.1.0 healthy tested"},
        {tested("1.1.0", 20), healthy("1.1.0", 21), "1.1.0 healthy"
        }, // a new release of it, not tested yet
        {healthy("1.0.0", 600), healthy("1.1.0", 20), "stale"},
        {healthy("1.0.0", 601), healthy("1.1.0", 20), "1.1.0 healthy"
        }, // signed by a clock that was ahead
    };
    for (const auto& r : rows) CHECK(after(r.before, r.report) == r.slot);
}

TEST_CASE("in the same second failure wins, then the newer version, and the test is not lost") {
    struct row {
        deployment_event before;
        deployment_event report;
        std::string slot;
    };
    const row rows[] = {
        {healthy("1.1.0", 10), failure("1.1.0", 10), "1.1.0 failed"},
        {failure("1.1.0", 10), healthy("1.1.0", 10), "stale"},
        {failure("1.1.0", 10), flux("1.0.0", verdict::rolled_back, 10), "stale"},
        {flux("1.0.0", verdict::rolled_back, 10), failure("1.1.0", 10), "1.1.0 failed"},
        {failure("1.1.0", 10), flux("1.1.0", verdict::uninstalled, 10), "stale"},
        {healthy("1.1.0", 10), flux("1.1.0", verdict::uninstalled, 10), "- uninstalled"},
        {flux("1.1.0", verdict::uninstalled, 10), healthy("1.1.0", 10), "stale"},
        {healthy("1.0.0", 10), healthy("1.1.0", 10), "1.1.0 healthy"},
        {healthy("1.1.0", 10), healthy("1.0.0", 10), "stale"},
        {healthy("aaaa", 10), healthy("bbbb", 10), "stale"},
        {healthy("1.1.0", 10), healthy("1.1.0", 10), "1.1.0 healthy"},
        {healthy("1.1.0", 10), tested("1.1.0", 10), "1.1.0 healthy tested"},
        {tested("1.1.0", 10), healthy("1.1.0", 10), "1.1.0 healthy tested"},
    };
    for (const auto& r : rows) CHECK(after(r.before, r.report) == r.slot);
}

TEST_CASE("a report goes to every target it speaks for that has no later word") {
    auto d = make_pipeline();
    d.environments[0].targets = {on("podinfo", "east"), on("podinfo", "west")};
    const auto pipeline = std::make_shared<const definition>(d);
    const auto a = match(pipeline, "dev", healthy("1.1.0", 10));
    REQUIRE(a.has_value());

    const slot_map before{{"flux-system/east:podinfo", held_by(healthy("1.2.0", 11))}};
    const auto report = report_to_slots(*a, before, at(600));
    CHECK_FALSE(report.stale);
    CHECK(report.changes.size() == 1);
    CHECK(report.after.at("flux-system/east:podinfo").facts.revision == "1.2.0");
    CHECK(report.after.at("flux-system/west:podinfo").facts.revision == "1.1.0");

    const auto again = report_to_slots(*a, report.after, at(600));
    CHECK_FALSE(again.stale);
    CHECK(again.changes.empty());
    CHECK(again.after == report.after);
}

TEST_CASE("a target the Pipeline no longer names loses its slot when its environment reports") {
    const auto pipeline = std::make_shared<const definition>(make_pipeline());
    const auto a = match(pipeline, "dev", healthy("1.1.0", 10));
    const slot_map before{
        {":gone", held_by(healthy("1.1.0", 5))},
        {"@trigger", held_by(trigger("1.1.0", 5))},
        {"@into", held_by(trigger_into("1.1.0", 5))},
    };
    const auto report = report_to_slots(*a, before, at(600));
    CHECK(report.after.size() == 3);
    CHECK_FALSE(report.after.contains(":gone"));
    REQUIRE(report.changes.size() == 2);
    CHECK(std::get<clear_slot>(report.changes[1]).target == ":gone");
}

TEST_CASE("a clock that was ahead makes nobody deaf once it is right again") {
    constexpr int three_days = 3 * 86'400;
    world w;
    CHECK(w.tell("dev", healthy("1.0.0", three_days)).what == verdict_on_event::promote);
    CHECK(w.tell("dev", healthy("1.1.0", 10)).what == verdict_on_event::promote);
    CHECK(w.tell("dev", failure("1.1.0", 20)).what == verdict_on_event::record);
    CHECK(w.state("staging", "1.1.0") == "Held(evidence)");
    // within the window the order of the signatures still counts
    w.tell("dev", healthy("1.2.0", 500));
    CHECK(w.tell("dev", failure("1.2.0", 30)).changes.empty());
}
