#pragma once

#include "embedded/sqlite_ledger.hpp"
#include "pipeline/acts.hpp"
#include "pipeline/decide.hpp"
#include "promotion/executor.hpp"
#include "tests/home/ledger_events.hpp"
#include "tests/home/ledger_fixture.hpp"
#include "tests/support/eventually.hpp"
#include "tests/unit/promotion/executor_home.hpp"
#include "tests/unit/promotion/git_fixture.hpp"

#include <functional>
#include <memory>
#include <string>

namespace sluice::tests {

using pipeline::promotion_state;

inline pipeline::definition three_environments(const std::string& name, pipeline::strategy how) {
    pipeline::definition d;
    d.name = {"default", name};
    d.app = {"helm.toolkit.fluxcd.io", "HelmRelease", name};
    for (const auto* environment : {"dev", "staging", "prod"}) {
        pipeline::environment e;
        e.name = environment;
        e.targets.push_back({name, std::nullopt});
        d.environments.push_back(std::move(e));
    }
    d.promotion.emplace();
    d.promotion->strategy = std::move(how);
    return d;
}

// The executor with the real ledger, a real repository on this machine and pipelines a test can change.
struct executor_world {
    temp_folder folder;
    system_clock clock;
    observe::registry metrics;
    written_pipelines pipelines;
    written_secrets secrets;
    std::unique_ptr<home::ledger> ledger = open_ledger();
    git_origin origin{folder};
    promotion::executor_options options = quick();
    std::unique_ptr<promotion::executor> executor;
    std::uint64_t events = 0;

    ~executor_world() {
        executor.reset();
        ledger.reset();
    }

    void close_ledger() { ledger.reset(); }
    void open_ledger_again() { ledger = open_ledger(); }

    // pipeline "podinfo" with one marker for each environment, at 1.0.0.
    void set_up(pipeline::pull_request_strategy how = {}) {
        for (const auto* environment : {"staging", "prod"}) {
            origin.write(
                fmt::format("podinfo/{}.yaml", environment),
                manifest("1.0.0", fmt::format("default:podinfo:{}", environment))
            );
        }
        origin.commit("begin");
        how.url = origin.url();
        how.base_branch = "main";
        pipeline::strategy s;
        s.how = std::move(how);
        pipelines.set(three_environments("podinfo", std::move(s)));
    }
    void start() { executor = start_another("git"); }
    std::unique_ptr<promotion::executor> start_another(std::string_view caches) {
        auto o = options;
        o.caches = folder / caches;
        auto made = std::make_unique<promotion::executor>(
            home::parts{pipelines, secrets, *ledger}, clock, metrics, std::move(o)
        );
        made->start();
        return made;
    }

    // Flux says that the revision is healthy in the environment.
    pipeline::verdict_on_event prove(
        const std::string& revision,
        const std::string& environment = "dev",
        const std::string& name = "podinfo"
    ) {
        return report(revision, environment, name, [](pipeline::deployment_event& /*e*/) {});
    }
    // Flux says that it failed there.
    void disprove(const std::string& revision, const std::string& environment = "dev") {
        report(revision, environment, "podinfo", [](pipeline::deployment_event& e) {
            e.verdict = pipeline::verdict::failed;
            e.reason = "UpgradeFailed";
            e.message = "Helm upgrade failed";
        });
    }
    // A report of the revision, as `but` changes it.
    pipeline::verdict_on_event report(
        const std::string& revision,
        const std::string& environment,
        const std::string& name,
        const std::function<void(pipeline::deployment_event&)>& but
    ) {
        auto s = healthy(revision, ++events, clock.now(), {"default", name});
        s.environment = environment;
        auto event = *s.event;
        but(event);
        event.object =
            pipeline::involved_object{"helm.toolkit.fluxcd.io/v2", "HelmRelease", name, name};
        s.event = std::make_shared<const pipeline::deployment_event>(event);
        auto matched =
            pipeline::match(pipelines.find("default", name), environment, std::move(event));
        if (!matched) throw std::runtime_error(matched.error().message);
        const auto decide = [a = *matched, now = clock.now()](const auto& records) {
            return pipeline::decide(a, records, now, now);
        };
        const auto accepted = get(ledger->accept(s, decide));
        if (!accepted) throw std::runtime_error(accepted.error().message);
        return accepted->what;
    }
    [[nodiscard]] pipeline::promotion shown(const std::string& id) const {
        const auto found = get(ledger->show(id));
        return found ? found->promotion : pipeline::promotion{};
    }
    [[nodiscard]] std::vector<home::history_entry> history(const std::string& id) const {
        const auto found = get(ledger->show(id));
        return found ? found->history : std::vector<home::history_entry>{};
    }
    // The promotion once it is in that state; else a failed check that tells where it stands.
    pipeline::promotion reach(const std::string& id, promotion_state state) {
        (void)eventually([&] { return shown(id).state == state; });
        auto p = shown(id);
        CAPTURE(id, p.reason, p.message);
        CHECK(to_string(p.state) == to_string(state));
        return p;
    }
    void approve(const std::string& id) {
        act([id = *pipeline::promotion_id::parse(id)](const auto& a, const auto& records) {
            return pipeline::approve(a, records, id);
        });
    }
    void cancel(const std::string& id) {
        act([id = *pipeline::promotion_id::parse(id)](const auto& a, const auto& records) {
            return pipeline::cancel(a, records, id);
        });
    }
    // A person asks for the revision in staging.
    void promote(const std::string& version) {
        act([facts = revision(version)](const auto& a, const auto& records) {
            return pipeline::promote(a, records, "staging", facts);
        });
    }
    // Changes the Pipeline.
    void rewrite(const std::function<void(pipeline::definition&)>& how) {
        auto d = *pipelines.find("default", "podinfo");
        how(d);
        pipelines.set(std::move(d));
        if (executor) executor->wake();
    }
    // A person merges a branch into main.
    void merge(const std::string& branch, const std::string& how = "--no-ff") const {
        origin.git("fetch -q origin");
        origin.git("checkout -q -B main origin/main");
        origin.git(fmt::format("merge -q {} -m merged origin/{}", how, branch));
        origin.git("push -q origin main");
    }
    [[nodiscard]] std::string staging() const {
        return origin.show("main", "podinfo/staging.yaml");
    }

private:
    template <class Deed>
    void act(Deed deed) {
        pipeline::act a;
        a.pipeline = pipelines.find("default", "podinfo");
        a.who = "user:ada";
        a.now = clock.now();
        const auto decide = [a, deed](const auto& records) { return deed(a, records); };
        if (auto done = get(ledger->change(a.pipeline->name, a.who, decide)); !done) {
            throw std::runtime_error(done.error().message);
        }
    }
    std::unique_ptr<home::ledger> open_ledger() {
        auto opened = embedded::sqlite_ledger::open(
            folder / "sluice.db", {}, clock, metrics, [](const std::string&) { std::terminate(); }
        );
        if (!opened) throw std::runtime_error(opened.error().message);
        return std::move(*opened);
    }
    [[nodiscard]] promotion::executor_options quick() const {
        using namespace std::chrono_literals;
        promotion::executor_options o;
        o.local_repositories = folder.path();
        o.author = sluice_author;
        o.first_retry = 20ms;
        o.longest_retry = 200ms;
        o.poll_every = 50ms;
        o.look_at_failed = 100ms;
        return o;
    }
};

inline const std::string into_staging = "promotion-default-podinfo-staging";

} // namespace sluice::tests
