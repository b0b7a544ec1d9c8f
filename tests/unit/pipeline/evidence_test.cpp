#include "pipeline/evidence.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

constexpr auto east = "flux-system/east:podinfo";
constexpr auto west = "flux-system/west:podinfo";
constexpr auto claim = "@trigger";

environment two_targets(required_targets required, proof wanted = proof::release) {
    auto e = make_environment("dev", {on("podinfo", "east"), on("podinfo", "west")});
    e.required = required;
    e.proof = wanted;
    return e;
}

using reports = std::vector<std::pair<const char*, deployment_event>>;

evidence weighed(const environment& e, const reports& told, const std::string& revision = "1.1.0") {
    slot_map slots;
    for (const auto& [key, event] : told)
        slots.insert_or_assign(key, *last_word(nullptr, event, at(0)));
    return weigh(e, slots, facts(revision), e.proof);
}

} // namespace

TEST_CASE("a revision may leave when all its targets, or any where that is enough, hold it healthy"
) {
    const auto r = [](const char* revision, verdict v) { return flux(revision, v, 10); };
    const auto good = healthy("1.1.0", 10);
    const auto bad = failure("1.1.0", 10);
    struct row {
        const char* what;
        reports told;
        standing all;
        standing any;
    };
    const row rows[] = {
        {"nothing is known", {}, standing::open, standing::open},
        {"one of two", {{east, good}}, standing::open, standing::proven},
        {"both", {{east, good}, {west, good}}, standing::proven, standing::proven},
        {"the other has another revision",
         {{east, good}, {west, healthy("1.0.0", 10)}},
         standing::open,
         standing::proven},
        {"the other failed with it", {{east, good}, {west, bad}}, standing::failed, standing::proven
        },
        {"the other failed with another",
         {{east, good}, {west, failure("1.2.0", 10)}},
         standing::open,
         standing::proven},
        {"one failed, one unknown", {{east, bad}}, standing::failed, standing::failed},
        {"both failed", {{east, bad}, {west, bad}}, standing::failed, standing::failed},
        {"rolled back to it",
         {{east, good}, {west, r("1.1.0", verdict::rolled_back)}},
         standing::open,
         standing::proven},
        {"only rolled back to it",
         {{west, r("1.1.0", verdict::rolled_back)}},
         standing::open,
         standing::open},
        {"uninstalled",
         {{east, good}, {west, r("1.1.0", verdict::uninstalled)}},
         standing::open,
         standing::proven},
        {"claimed by CI", {{claim, good}}, standing::proven, standing::proven},
        {"claimed, and one healthy",
         {{claim, good}, {east, good}},
         standing::proven,
         standing::proven},
        {"claimed, but Flux saw it fail",
         {{claim, good}, {east, bad}},
         standing::failed,
         standing::failed},
        {"claimed, one fails, one is healthy",
         {{claim, good}, {east, bad}, {west, good}},
         standing::failed,
         standing::proven},
        {"another one claimed",
         {{claim, healthy("1.2.0", 10)}, {east, good}},
         standing::open,
         standing::proven},
        {"a target that is gone failed",
         {{":gone", bad}, {east, good}, {west, good}},
         standing::proven,
         standing::proven},
    };
    for (const auto& row : rows) {
        INFO(row.what);
        CHECK(weighed(two_targets(required_targets::all), row.told).standing == row.all);
        CHECK(weighed(two_targets(required_targets::any), row.told).standing == row.any);
    }
}

TEST_CASE("where a test is the proof, a release alone is not") {
    const auto released = healthy("1.1.0", 10);
    const auto passed = tested("1.1.0", 10);
    const auto env = two_targets(required_targets::all, proof::test);
    const auto untested = weighed(env, {{east, passed}, {west, released}});
    CHECK(untested.standing == standing::open);
    CHECK(untested.tests_missing);
    CHECK(untested.missing == std::vector<std::string>{"podinfo on flux-system/west"});
    CHECK(weighed(env, {{east, passed}, {west, passed}}).standing == standing::proven);
    CHECK(
        weighed(env, {{east, passed}, {west, failure("1.1.0", 10)}}).standing == standing::failed
    );
    CHECK(
        weighed(two_targets(required_targets::any, proof::test), {{east, released}}).standing ==
        standing::open
    );
    CHECK_FALSE(weighed(env, {{east, released}}).tests_missing);
    CHECK(weighed(env, {{claim, released}}).standing == standing::proven);
}

TEST_CASE("evidence says how far it is, and since when it stands") {
    const auto env = two_targets(required_targets::all);
    const auto half = weighed(env, {{east, healthy("1.1.0", 10)}});
    CHECK(half.proven == 1);
    CHECK(half.targets == 2);
    CHECK(half.missing == std::vector<std::string>{"podinfo on flux-system/west"});
    const reports both{{east, healthy("1.1.0", 30)}, {west, healthy("1.1.0", 20)}};
    CHECK(weighed(env, both).since == at(30));
    CHECK(weighed(two_targets(required_targets::any), both).since == at(20));
    CHECK(
        weighed(env, {{claim, healthy("1.1.0", 7)}, {east, healthy("1.1.0", 30)}}).since == at(7)
    );
}

TEST_CASE("an environment without targets is proven by a claim only") {
    const auto env = make_environment("dev", {});
    CHECK(weighed(env, {}).standing == standing::open);
    CHECK(weighed(env, {{claim, healthy("1.1.0", 1)}}).standing == standing::proven);
}
