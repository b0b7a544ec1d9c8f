#include "pipeline/evidence.hpp"
#include "pipeline/order.hpp"
#include "pipeline/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

#include <algorithm>
#include <random>
#include <set>

// Whatever is told in whatever order, these hold. Seeds are fixed, so a failure can be run again.
using namespace sluice;
using namespace sluice::pipeline;

namespace {

struct told {
    std::string environment;
    deployment_event event;
};

class storyteller {
public:
    explicit storyteller(unsigned seed) : random_(seed) {}

    int number(int below) { return std::uniform_int_distribution<int>{0, below - 1}(random_); }

    definition pipeline() {
        auto d = make_pipeline();
        for (auto& e : d.environments) {
            e.targets = {on("podinfo", "east"), on("podinfo", "west")};
            e.required = number(2) == 0 ? required_targets::all : required_targets::any;
            e.proof = number(4) == 0 ? proof::test : proof::release;
            e.secret = "key";
        }
        d.promotion->manual = number(2) == 0;
        if (number(3) == 0) d.deny = {{"1.3.0", "broken"}};
        return d;
    }

    // Few revisions and few seconds, so that everything collides.
    told event(bool versions) {
        static const std::string environments[] = {"dev", "staging", "prod"};
        const auto revision = versions ? "1." + std::to_string(number(5)) + ".0"
                                       : "commit-" + std::to_string(number(5));
        const int time = number(30);
        const auto& environment = environments[number(3)];
        switch (number(12)) {
        case 0: return {environment, trigger(revision, time)};
        case 1: return {environment, trigger_into(revision, time)};
        case 2: return {environment, from_somewhere(flux(revision, verdict::rolled_back, time))};
        case 3: return {environment, from_somewhere(flux(revision, verdict::uninstalled, time))};
        case 4: return {environment, from_somewhere(flux(revision, verdict::none, time))};
        case 5:
        case 6: return {environment, from_somewhere(failure(revision, time))};
        case 7:
        case 8: return {environment, from_somewhere(tested(revision, time))};
        default: return {environment, from_somewhere(healthy(revision, time))};
        }
    }

    template <class Range>
    void shuffle(Range& r) {
        std::shuffle(r.begin(), r.end(), random_);
    }

private:
    deployment_event from_somewhere(deployment_event e) {
        static const char* clusters[] = {"", "east", "west"};
        return from_cluster(clusters[number(3)], std::move(e));
    }

    std::mt19937 random_;
};

// What the executor or a person may do to an attempt at any time.
void meddle(world& w, storyteller& teller) {
    using enum promotion_state;
    static const promotion_state steps[] = {
        running, pull_request_open, merged, rejected, closed, cancelled, notified, failed
    };
    static const std::string environments[] = {"dev", "staging", "prod"};
    const auto& environment = environments[teller.number(3)];
    const auto& attempts = w.record(environment).attempts;
    if (attempts.empty()) return;
    const auto& chosen =
        attempts[static_cast<std::size_t>(teller.number(static_cast<int>(attempts.size())))];
    const auto to = steps[teller.number(8)];
    const auto revision = chosen.id.revision;
    if (may_follow(chosen.state, to)) w.move(environment, revision, to);
}

// What failed where it runs now is no longer what an older one must not replace.
bool runs_something(const environment_record& record) {
    if (!record.current) return false;
    const auto* a = newest_attempt(record, *record.current);
    return a == nullptr || a->state != promotion_state::deploy_failed;
}

void check_changes(
    const pipeline_records& before, const world& w, const definition& pipeline, const decision& d
) {
    for (const auto& c : d.changes) {
        if (const auto* t = std::get_if<transition>(&c)) {
            const auto& attempts = before.at(t->id.environment).attempts;
            const auto found = std::ranges::find(attempts, t->id, &attempt::id);
            REQUIRE(found != attempts.end());
            if (!may_follow(found->state, t->to)) {
                FAIL(
                    to_string(found->state) << " -> " << to_string(t->to) << " of " << t->id.text()
                );
            }
            REQUIRE_FALSE(t->message.empty());
        }
        if (const auto* o = std::get_if<open_promotion>(&c)) {
            const auto& p = o->promotion;
            const auto record = before.find(p.id.environment);
            if (record != before.end() && runs_something(record->second)) {
                const auto order =
                    compare_versions(p.id.revision, written_form(*record->second.current));
                if (order && *order < 0) FAIL("opened the older " << p.id.text());
            }
            if (p.from_environment.empty()) continue;
            const auto& source = *pipeline.find(p.from_environment);
            const auto e = weigh(source, w.record(source.name).slots, p.facts, source.proof);
            if (e.standing != standing::proven) FAIL("opened without proof: " << p.id.text());
        }
    }
}

void check_records(const world& w) {
    for (const auto& [name, record] : w.records()) {
        std::set<promotion_id> ids;
        int waiting = 0;
        for (const auto& a : record.attempts) {
            REQUIRE(ids.insert(a.id).second);
            REQUIRE(a.id.environment == name);
            if (still_waits(a.state)) ++waiting;
        }
        if (waiting > 1) FAIL(waiting << " promotions wait in " << name);
    }
}

} // namespace

TEST_CASE("any stream of events keeps the promises of a decision") {
    std::size_t opened_in_all = 0;
    for (unsigned seed = 0; seed < 400; ++seed) {
        INFO("seed " << seed);
        storyteller teller{seed};
        const auto pipeline = teller.pipeline();
        const bool versions = seed % 2 == 0;
        world w{pipeline};
        std::set<std::string> opened;
        for (int i = 0; i < 60; ++i) {
            const auto [environment, event] = teller.event(versions);
            const auto before = w.records();
            const auto d = w.tell(environment, event);
            REQUIRE_FALSE(d.reason.empty());
            check_changes(before, w, pipeline, d);
            check_records(w);
            for (const auto& c : d.changes) {
                const auto* o = std::get_if<open_promotion>(&c);
                if (o != nullptr && !opened.insert(o->promotion.id.text()).second) {
                    FAIL("opened twice: " << o->promotion.id.text());
                }
            }
            // the same event once more
            const auto after = w.records();
            const auto again = w.tell(environment, event);
            if (!again.changes.empty() || w.records() != after)
                FAIL("a replay changed something: " << again.reason);

            if (teller.number(3) == 0) meddle(w, teller);
        }
        opened_in_all += opened.size();
    }
    CHECK(opened_in_all > 1000);
}

TEST_CASE(
    "the last word about every target is the same in whatever order and how often events arrive"
) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        INFO("seed " << seed);
        storyteller teller{seed};
        const auto pipeline = teller.pipeline();
        std::vector<told> events;
        for (int i = 0; i < 25; ++i) events.push_back(teller.event(/*versions=*/true));
        const auto slots_after = [&] {
            world w{pipeline};
            // Delivered twice: what is late or repeated must not show.
            for (int time = 0; time < 2; ++time) {
                for (const auto& [environment, event] : events) w.tell(environment, event);
            }
            std::vector<slot_map> slots;
            for (const auto& e : pipeline.environments) slots.push_back(w.record(e.name).slots);
            return slots;
        };
        const auto in_order = slots_after();
        for (int i = 0; i < 5; ++i) {
            teller.shuffle(events);
            REQUIRE(slots_after() == in_order);
        }
    }
}
