#include "pipeline/decide.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

using namespace sluice;
using namespace sluice::pipeline;

namespace {

using enum verdict_on_event;

std::string id_of(const decision& d) {
    return d.promotion ? d.promotion->text() : "-";
}

template <class Change>
std::vector<Change> changes_of(const decision& d) {
    std::vector<Change> found;
    for (const auto& c : d.changes) {
        if (const auto* wanted = std::get_if<Change>(&c)) found.push_back(*wanted);
    }
    return found;
}

} // namespace

TEST_CASE("decisions are named as the answer to a sender spells them") {
    CHECK(to_string(promote) == "promote");
    CHECK(to_string(await_approval) == "await_approval");
    CHECK(to_string(record) == "record");
    CHECK(to_string(ignore) == "ignore");
    CHECK(to_string(duplicate) == "duplicate");
}

TEST_CASE("a proof of health opens the promotion into the next environment") {
    world w;
    const auto d = w.tell("dev", healthy("6.1.8", 0));
    CHECK(d.what == promote);
    CHECK(d.reason == "6.1.8 is healthy in dev; it is promoted into staging");
    CHECK(id_of(d) == "default/podinfo/staging@6.1.8");
    const auto opened = changes_of<open_promotion>(d);
    REQUIRE(opened.size() == 1);
    const auto& p = opened[0].promotion;
    CHECK(p.state == promotion_state::pending);
    CHECK(p.reason == "proven");
    CHECK(p.message == d.reason);
    CHECK(p.from_environment == "dev");
    CHECK(p.facts == facts("6.1.8"));
    CHECK(p.first_evidence == at(0));
    CHECK(p.created_at == at(1));
    CHECK(p.updated_at == at(1));
    CHECK_FALSE(p.retry_at);
}

TEST_CASE("where a person must agree, the promotion waits for approval") {
    auto d = make_pipeline();
    d.promotion->manual = true;
    world w{d};
    const auto answer = w.tell("dev", healthy("6.1.8", 0));
    CHECK(answer.what == await_approval);
    CHECK(
        answer.reason == "6.1.8 is healthy in dev; its promotion into staging waits for approval"
    );
    CHECK(w.state("staging", "6.1.8") == "AwaitingApproval");
}

TEST_CASE("an environment's own promotion block decides how a revision enters it") {
    auto d = make_pipeline();
    d.environments[2].promotion = d.promotion;
    d.environments[2].promotion->manual = true;
    world w{d};
    CHECK(w.tell("dev", healthy("1.0.0", 0)).what == promote);
    CHECK(w.tell("staging", healthy("1.0.0", 1)).what == await_approval);
}

TEST_CASE("what is no proof of health opens nothing") {
    struct row {
        deployment_event event;
        verdict_on_event what;
        std::string reason;
    };
    auto nameless = failure("", 0);
    auto drift = flux("1.0.0", verdict::none, 0);
    drift.reason = "DriftCorrected";
    const row rows[] = {
        {failure("1.0.0", 0), record, "1.0.0 failed in dev (UpgradeFailed)"},
        {flux("1.0.0", verdict::rolled_back, 0),
         record,
         "dev rolled back to 1.0.0, which proves nothing"},
        {flux("1.0.0", verdict::uninstalled, 0),
         record,
         "uninstalled in dev: what it reported no longer counts"},
        {flux("", verdict::uninstalled, 0),
         record,
         "uninstalled in dev: what it reported no longer counts"},
        {drift, ignore, "DriftCorrected in dev says neither that it is healthy nor that it failed"},
        {nameless, ignore, "UpgradeFailed in dev names no revision"},
    };
    for (const auto& r : rows) {
        INFO(r.reason);
        world w;
        const auto d = w.tell("dev", r.event);
        CHECK(d.what == r.what);
        CHECK(d.reason == r.reason);
        CHECK(id_of(d) == "-");
        CHECK(changes_of<open_promotion>(d).empty());
        CHECK(d.changes.empty() == (r.what == ignore));
    }
}

TEST_CASE("nothing new starts where the Pipeline says so, but facts are kept") {
    struct row {
        const char* what;
        void (*edit)(definition&);
        std::string reason;
    };
    const row rows[] = {
        {"no promotion block",
         [](definition& d) { d.promotion.reset(); },
         "1.0.0 is healthy in dev, but the pipeline has no promotion block for staging, so it only "
         "records"},
        {"no targets",
         [](definition& d) { d.environments[1].targets.clear(); },
         "1.0.0 is healthy in dev, but environment staging has no targets"},
        {"pipeline suspended",
         [](definition& d) { d.suspend = true; },
         "1.0.0 is healthy in dev, but the pipeline is suspended; the next report after it is "
         "resumed starts the "
         "promotion"},
        {"target suspended",
         [](definition& d) { d.environments[1].suspend = true; },
         "1.0.0 is healthy in dev, but environment staging is suspended; the next report after it "
         "is resumed starts "
         "the promotion"},
        {"source suspended",
         [](definition& d) { d.environments[0].suspend = true; },
         "1.0.0 is healthy in dev, but environment dev is suspended; the next report after it is "
         "resumed starts the "
         "promotion"},
    };
    for (const auto& r : rows) {
        INFO(r.what);
        auto d = make_pipeline();
        r.edit(d);
        world w{d};
        const auto answer = w.tell("dev", healthy("1.0.0", 0));
        CHECK(answer.what == record);
        CHECK(answer.reason == r.reason);
        CHECK(w.record("dev").slots.at(":podinfo").facts.revision == "1.0.0");
        CHECK(w.current("dev") == "1.0.0");
        CHECK(w.record("staging").attempts.empty());

        w.change_pipeline(make_pipeline());
        CHECK(w.tell("dev", healthy("1.0.0", 1)).what == promote);
    }
}

TEST_CASE("a suspended pipeline still follows what it started") {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::merged);
    auto d = make_pipeline();
    d.suspend = true;
    w.change_pipeline(d);
    CHECK(w.tell("staging", healthy("1.0.0", 5)).what == record);
    CHECK(w.state("staging", "1.0.0") == "Deployed");
    CHECK(w.state("prod", "1.0.0") == "-");
}

TEST_CASE("a denied revision is opened once, as Denied, and displaces nothing") {
    auto d = make_pipeline();
    d.deny = {{"6.1.7", "CVE-2026-0001"}};
    world w{d};
    w.tell("dev", healthy("6.1.6", 0));
    const auto first = w.tell("dev", healthy("6.1.7", 1));
    CHECK(first.what == record);
    CHECK(first.reason == "6.1.7 is denied: CVE-2026-0001");
    CHECK(id_of(first) == "default/podinfo/staging@6.1.7");
    CHECK(w.state("staging", "6.1.7") == "Denied");
    CHECK(w.state("staging", "6.1.6") == "Pending");
    CHECK(w.tell("dev", healthy("6.1.7", 2)).what == duplicate);
    CHECK(w.tell("dev", healthy("6.1.8", 3)).what == promote);
}

TEST_CASE("a denial names a revision in any of its forms") {
    auto d = make_pipeline();
    const std::string commit = "b3396adb98a6a0f5eeedd1a600beaf5e954a1f28";
    for (const std::string& named : {commit, "main@sha1:" + commit, "sha1:" + commit}) {
        d.deny = {{named, "broken"}};
        world w{d};
        w.tell("dev", healthy("main@sha1:" + commit, 0));
        CHECK(w.state("staging", commit) == "Denied");
    }
}

TEST_CASE("repeated evidence finds the promotion there is, whatever became of it") {
    using enum promotion_state;
    for (const auto state :
         {pending,
          awaiting_approval,
          held,
          running,
          pull_request_open,
          merged,
          notified,
          superseded,
          rejected,
          expired,
          cancelled,
          denied,
          closed,
          no_change,
          promotion_state::failed,
          deploy_failed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.0.0", 0));
        w.move("staging", "1.0.0", state);
        const auto d = w.tell("dev", healthy("1.0.0", 600));
        CHECK(d.what == duplicate);
        CHECK(id_of(d) == "default/podinfo/staging@1.0.0");
        CHECK(
            d.reason == "1.0.0 already has a promotion into staging; its state is " +
                            std::string{to_string(state)}
        );
        CHECK(w.record("staging").attempts.size() == 1);
        CHECK(w.record("staging").attempts[0].state == state);
    }
}

TEST_CASE("a newer revision supersedes at once what still waits, not what is already visible") {
    using enum promotion_state;
    struct row {
        promotion_state state;
        const char* after;
    };
    const row rows[] = {
        {pending, "Superseded"},
        {awaiting_approval, "Superseded"},
        {held, "Superseded"},
        {running, "Running"},
        {pull_request_open, "PullRequestOpen"},
        {merged, "Merged"},
        {closed, "Closed"},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.state));
        world w;
        w.tell("dev", healthy("1.0.0", 0));
        w.move("staging", "1.0.0", r.state);
        CHECK(w.tell("dev", healthy("1.1.0", 1)).what == promote);
        CHECK(w.state("staging", "1.0.0") == r.after);
        CHECK(w.state("staging", "1.1.0") == "Pending");
    }
}

TEST_CASE("an older revision does not overtake a newer one") {
    world w;
    w.tell("dev", healthy("1.1.0", 0));
    auto d = w.tell("dev", healthy("1.0.0", 1));
    CHECK(d.what == record);
    CHECK(
        d.reason == "1.0.0 is healthy in dev, but the newer 1.1.0 is already on its way into "
                    "staging, its state is "
                    "Pending; cancel that one to let the older go"
    );
    w.move("staging", "1.1.0", promotion_state::merged);
    w.tell("staging", healthy("1.1.0", 2));
    d = w.tell("dev", healthy("1.0.0", 3));
    CHECK(d.what == record);
    CHECK(
        d.reason == "1.0.0 is healthy in dev, but staging runs 1.1.0, which is newer, and nothing "
                    "goes back but by rollback"
    );
    CHECK(w.state("staging", "1.0.0") == "-");
}

TEST_CASE("a newer revision that was turned down or failed in its target does not block a fix of "
          "the older line") {
    using enum promotion_state;
    for (const auto state :
         {rejected, closed, cancelled, deploy_failed, promotion_state::failed, expired}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("2.0.0", 0));
        w.move("staging", "2.0.0", state);
        CHECK(w.tell("dev", healthy("1.9.1", 1)).what == promote);
    }
}

TEST_CASE("what the next environment already runs is not promoted into it") {
    world w;
    w.tell("staging", healthy("1.0.0", 0));
    const auto d = w.tell("dev", healthy("1.0.0", 1));
    CHECK(d.what == record);
    CHECK(d.reason == "1.0.0 is healthy in dev, and staging already runs it");
}

TEST_CASE("a report from the target marks its promotion from any state, and ends older merged and "
          "waiting ones") {
    using enum promotion_state;
    for (const auto state :
         {pending,
          awaiting_approval,
          held,
          running,
          pull_request_open,
          merged,
          superseded,
          closed,
          rejected,
          denied,
          no_change,
          deploy_failed}) {
        INFO(to_string(state));
        world w;
        w.tell("dev", healthy("1.1.0", 0));
        w.move("staging", "1.1.0", state);
        const auto d = w.tell("staging", healthy("1.1.0", 1));
        CHECK(d.what == promote);
        CHECK(id_of(d) == "default/podinfo/prod@1.1.0");
        CHECK(w.state("staging", "1.1.0") == "Deployed");
        CHECK(w.current("staging") == "1.1.0");
    }
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", merged);
    w.tell("dev", healthy("1.1.0", 1));
    w.move("staging", "1.1.0", pull_request_open);
    w.tell("dev", healthy("1.2.0", 2));
    w.tell("staging", healthy("1.3.0", 3)); // somebody else deployed it
    CHECK(w.state("staging", "1.0.0") == "Superseded");
    CHECK(w.state("staging", "1.1.0") == "PullRequestOpen");
    CHECK(w.state("staging", "1.2.0") == "Superseded");
    CHECK(w.current("staging") == "1.3.0");
}

TEST_CASE("a withdrawal in the target ends a promotion that wrote there, and none that only waits"
) {
    using enum promotion_state;
    struct row {
        promotion_state state;
        const char* after;
    };
    const row rows[] = {
        {pending, "Pending"},
        {awaiting_approval, "AwaitingApproval"},
        {held, "Held"},
        {running, "DeployFailed"},
        {pull_request_open, "DeployFailed"},
        {merged, "DeployFailed"},
        {deployed, "DeployFailed"},
        {deploy_failed, "DeployFailed"},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.state));
        world w;
        w.tell("dev", healthy("1.0.0", 0));
        w.move("staging", "1.0.0", r.state);
        const auto d = w.tell("staging", failure("1.0.0", 1));
        CHECK(d.what == record);
        CHECK(d.reason == "1.0.0 failed in staging (UpgradeFailed)");
        CHECK(w.state("staging", "1.0.0") == r.after);
    }
}

TEST_CASE("a withdrawal withdraws the evidence of what is not merged, and its return restores it") {
    using enum promotion_state;
    struct row {
        bool manual;
        promotion_state state;
        const char* withdrawn;
        const char* restored;
        verdict_on_event answer;
    };
    const row rows[] = {
        {false, pending, "Held(evidence)", "Pending", promote},
        {false, held, "Held(evidence)", "Pending", promote},
        {false, running, "Held(evidence)", "Pending", promote},
        {false, pull_request_open, "PullRequestOpen(evidence)", "PullRequestOpen", promote},
        {true, awaiting_approval, "Held(evidence)", "AwaitingApproval", await_approval},
        {true, running, "Held(evidence)", "AwaitingApproval", await_approval}, // approved before
        {false, merged, "Merged", "Merged", duplicate},
        {false, deployed, "Deployed", "Deployed", duplicate},
        {false, rejected, "Rejected", "Rejected", duplicate},
    };
    for (const auto& r : rows) {
        INFO(to_string(r.state));
        auto d = make_pipeline();
        d.promotion->manual = r.manual;
        world w{d};
        w.tell("dev", healthy("1.0.0", 0));
        w.move("staging", "1.0.0", r.state);
        const auto withdrawal = w.tell("dev", failure("1.0.0", 1));
        CHECK(withdrawal.what == record);
        CHECK(w.state("staging", "1.0.0") == r.withdrawn);
        if (r.answer != duplicate) {
            CHECK(
                withdrawal.reason == "1.0.0 failed in dev (UpgradeFailed); its promotion into "
                                     "staging is held until it is "
                                     "healthy again"
            );
            CHECK(id_of(withdrawal) == "default/podinfo/staging@1.0.0");
        }
        w.tell("dev", failure("1.0.0", 2));
        CHECK(w.state("staging", "1.0.0") == r.withdrawn);
        const auto back = w.tell("dev", healthy("1.0.0", 3));
        CHECK(back.what == r.answer);
        CHECK(w.state("staging", "1.0.0") == r.restored);
        if (r.answer != duplicate) {
            CHECK(
                back.reason == "1.0.0 is healthy in dev again: its promotion into staging goes on"
            );
        }
    }
}

TEST_CASE("a promotion held for another reason is not resumed by evidence") {
    world w;
    w.tell("dev", healthy("1.0.0", 0));
    w.move("staging", "1.0.0", promotion_state::held); // by a gate
    CHECK(w.tell("dev", healthy("1.0.0", 1)).what == duplicate);
    CHECK(w.state("staging", "1.0.0") == "Held");
}

TEST_CASE("a stale report changes nothing and says why") {
    world w;
    w.tell("dev", healthy("1.1.0", 100));
    const auto before = w.records();
    for (const auto& late :
         {healthy("1.2.0", 99), failure("1.1.0", 50), flux("", verdict::uninstalled, 1)}) {
        const auto d = w.tell("dev", late);
        CHECK(d.what == record);
        CHECK(d.changes.empty());
        CHECK(d.reason.starts_with("this report from dev was signed at 2026-08-07T"));
    }
    CHECK(w.records() == before);
}

TEST_CASE("a name that moved to another digest is recorded, not promoted twice") {
    const std::string old_digest = "sha256:" + std::string(64, 'a');
    const std::string new_digest = "sha256:" + std::string(64, 'b');
    world w;
    CHECK(w.tell("dev", healthy("latest@" + old_digest, 0)).what == promote);
    const auto d = w.tell("dev", healthy("latest@" + new_digest, 1));
    CHECK(d.what == record);
    CHECK(
        d.reason ==
        "latest now stands for " + new_digest + ", but " + old_digest +
            " was promoted into staging under the same name: give each release its own name"
    );
}

TEST_CASE("ended attempts nobody reports any more are forgotten after many others, never what runs"
) {
    world w;
    const auto name = [](int i) { return "commit-" + std::to_string(i); };
    w.tell("dev", healthy(name(0), 0));
    w.tell("staging", healthy(name(0), 1)); // what staging runs
    for (int i = 1; i <= 100; ++i) {
        w.tell("dev", healthy(name(i), 10 * i));
        w.move("staging", name(i), promotion_state::closed);
    }
    const auto& attempts = w.record("staging").attempts;
    CHECK(attempts.size() == 12); // what runs, ten that ended, and the last one
    CHECK(w.state("staging", name(0)) == "Deployed");
    CHECK(w.state("staging", name(1)) == "-");
    CHECK(w.state("staging", name(90)) == "Closed");
    CHECK(
        w.tell("dev", healthy(name(90), 2000)).what == duplicate
    ); // closed by a person: not started anew
}
