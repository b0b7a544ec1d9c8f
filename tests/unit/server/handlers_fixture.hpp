#pragma once

#include "auth/sign.hpp"
#include "base/rfc3339.hpp"
#include "embedded/file_pipelines.hpp"
#include "embedded/file_secrets.hpp"
#include "embedded/sqlite_ledger.hpp"
#include "pipeline/progress.hpp"
#include "server/acts_api.hpp"
#include "server/approval_handler.hpp"
#include "server/event_handler.hpp"
#include "server/forge_handler.hpp"
#include "server/http_server.hpp"
#include "server/promotions_api.hpp"
#include "tests/home/ledger_fixture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"
#include "tests/support/wire_client.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::tests {

using namespace std::chrono_literals;

// All handlers on loopback, with a real ledger, pipelines and secrets behind them. Only the executor is missing: what it
// would do is done by the test.
class handlers_fixture {
public:
    explicit handlers_fixture(
        const server::approval_options& approvals = quick(), server::acts_api::foresee foresee = {}
    ) {
        write_files();
        embedded::file_pipelines::options p;
        p.folder = folder / "pipelines";
        pipelines = open(embedded::file_pipelines::open(std::move(p), metrics));
        embedded::file_secrets::options s;
        s.folder = folder / "secrets";
        secrets = open(embedded::file_secrets::open(std::move(s), metrics));
        ledger = open(embedded::sqlite_ledger::open(
            folder / "sluice.db", {}, clock, metrics, [](const std::string&) { std::terminate(); }
        ));
        const home::parts home{*pipelines, *secrets, *ledger};
        server::door_options door_options;
        door_options.unauthorized_delay = refusal_delay;
        door.emplace(home, metrics, door_options);
        intake.emplace(*ledger, clock, metrics, intake::options{});
        events.emplace(*door, *intake, server::event_options{});
        approval.emplace(*door, *ledger, clock, approvals);
        forge.emplace(*door, clock, [this](const pipeline::object_name& name) {
            const std::scoped_lock lock{mutex};
            looked_at.push_back(name.text());
        });
        reading.emplace(*ledger);
        acts.emplace(home, clock, std::move(foresee));
        build_server();
    }
    ~handlers_fixture() {
        (void)http->stop(5s);
        ledger.reset(); // it answers into the server's loops
        secrets.reset();
    }
    handlers_fixture(const handlers_fixture&) = delete;
    handlers_fixture& operator=(const handlers_fixture&) = delete;

    static server::approval_options quick() {
        server::approval_options o;
        o.wait = 200ms;
        return o;
    }

    wire_answer post(
        const std::string& path, const std::string& body = {}, const std::string& headers = {}
    ) const {
        wire_client client{url};
        REQUIRE(client.send(tests::post(path, body, headers)));
        auto answer = client.answer(20s);
        REQUIRE(answer.has_value());
        return *answer;
    }
    // The headers of `sluice sign`.
    std::string signed_with(
        const std::string& key,
        auth::scheme scheme,
        const std::string& path,
        const std::string& body = {}
    ) const {
        auth::signing_order order;
        order.scheme = scheme;
        order.body = body;
        order.now = clock.now();
        order.method = "POST";
        order.path = path;
        order.message_id = "msg_1";
        const auto headers = auth::sign(secret_string{std::string{key}}, order);
        REQUIRE(headers.has_value());
        std::string out;
        for (const auto& h : *headers) out += h.name + ": " + h.value + "\r\n";
        return out;
    }
    wire_answer approve(const std::string& path, const std::string& key = "prod approves") const {
        return post(path, {}, signed_with(key, auth::scheme::bound, path));
    }
    // dev reports it healthy: it waits for prod.
    void offer(const std::string& revision) {
        clock.advance(1s);
        const auto body = fmt::format(
            R"({{"revision":"{}","timestamp":"{}"}})", revision, format_rfc3339(clock.now())
        );
        const auto answer = post(
            "/default/podinfo/dev", body, signed_with("dev speaks", auth::scheme::flux, "", body)
        );
        REQUIRE(answer.status == 202);
        REQUIRE(nlohmann::json::parse(answer.body)["decision"] == "await_approval");
    }
    pipeline::promotion promotion(const std::string& id) const {
        const auto found = get(ledger->show(id));
        REQUIRE(found.has_value());
        return found->promotion;
    }
    // What the executor does when it opened a pull request.
    void open_pull_request(const std::string& id_text, const std::string& pull_request_url) {
        const auto id = *pipeline::promotion_id::parse(id_text);
        const auto definition = pipelines->find("default", "podinfo");
        home::change_fn begin = [=](const auto& records) {
            return pipeline::begin(*definition, records, id);
        };
        REQUIRE(get(ledger->change(id.pipeline, "executor", begin)).has_value());
        pipeline::promotion_work work;
        work.pull_request.emplace();
        work.pull_request->url = pull_request_url;
        work.pull_request->number = 7;
        home::change_fn open = [=](const auto& records) {
            return pipeline::opened(records, id, work, "pull request opened");
        };
        REQUIRE(get(ledger->change(id.pipeline, "executor", open)).has_value());
    }

    static constexpr auto refusal_delay = 100ms;
    temp_folder folder;
    manual_clock clock{*parse_rfc3339("2026-08-07T13:00:00Z")};
    observe::registry metrics;
    std::unique_ptr<embedded::file_pipelines> pipelines;
    std::unique_ptr<embedded::file_secrets> secrets;
    std::unique_ptr<embedded::sqlite_ledger> ledger;
    std::optional<server::doorkeeper> door;
    std::optional<intake::intake> intake;
    std::optional<server::event_handler> events;
    std::optional<server::approval_handler> approval;
    std::optional<server::forge_handler> forge;
    std::optional<server::promotions_api> reading;
    std::optional<server::acts_api> acts;
    std::optional<server::router> routes;
    std::optional<server::http_server> http;
    std::string url;
    std::mutex mutex; // of looked_at
    std::vector<std::string> looked_at;

private:
    template <class T>
    static T open(result<T> made) {
        if (!made) throw std::runtime_error(made.error().message);
        return std::move(*made);
    }
    template <class Object, class Method>
    static server::handler bound(Object& object, Method method) {
        return [&object, method](http::request& r, const server::params& p) {
            return (*object.*method)(r, p);
        };
    }
    void build_server() {
        using server::acts_api;
        const std::string one = "/api/v1/promotions/{id}";
        routes.emplace(std::vector<server::route>{
            {"POST", "/{ns}/{pipeline}/{env}", "event", bound(events, &server::event_handler::post)
            },
            {"POST",
             "/approval/{ns}/{pipeline}/{env}/{revision}",
             "approval",
             bound(approval, &server::approval_handler::post)},
            {"POST", "/forge/{ns}/{pipeline}", "forge", bound(forge, &server::forge_handler::post)},
            {"POST", "/api/v1/promotions", "promote", bound(acts, &acts_api::promote)},
            {"POST", one + "/approve", "approve", bound(acts, &acts_api::approve)},
            {"POST", one + "/reject", "reject", bound(acts, &acts_api::reject)},
            {"POST", one + "/cancel", "cancel", bound(acts, &acts_api::cancel)},
            {"POST", one + "/retry", "retry", bound(acts, &acts_api::retry)},
        });
        http.emplace(server::limits{}, 2, metrics);
        auto taken = http->listen("http://127.0.0.1:0", *routes);
        REQUIRE(taken.has_value());
        url = *taken;
        http->start();
    }
    void write_files() const {
        folder.write(
            "pipelines/podinfo.yaml",
            "apiVersion: pipelines.weave.works/v1alpha1\n"
            "kind: Pipeline\n"
            "metadata: {name: podinfo, namespace: default}\n"
            "spec:\n"
            "  appRef: {kind: HelmRelease, apiVersion: helm.toolkit.fluxcd.io/v2, name: podinfo}\n"
            "  environments:\n"
            "  - {name: dev, targets: [{namespace: dev}], secretRef: {name: dev-events}}\n"
            "  - {name: prod, targets: [{namespace: prod}], secretRef: {name: prod-events}}\n"
            "  promotion:\n"
            "    manual: true\n"
            "    strategy:\n"
            "      secretRef: {name: pipeline-events}\n"
            "      pull-request:\n"
            "        type: gitea\n"
            "        url: https://git.example.org/team/fleet\n"
            "        baseBranch: main\n"
            "        secretRef: {name: credentials}\n"
        );
        folder.write("secrets/default/dev-events/hmac-key", "dev speaks");
        folder.write("secrets/default/prod-events/hmac-key", "prod speaks");
        folder.write("secrets/default/prod-events/approval-key", "prod approves");
        folder.write("secrets/default/pipeline-events/approval-key", "pipeline approves");
        folder.write("secrets/default/credentials/token", "not a key");
        folder.write("secrets/default/credentials/forge-webhook-key", "the forge tells");
        folder.write("secrets/default/credentials/gitlab-token", "gitlab tells\n");
    }
};

} // namespace sluice::tests
