#include "tests/unit/pipeline/world.hpp"

#include "pipeline/version.hpp"

#include <stdexcept>

namespace sluice::pipeline {
namespace {

constexpr std::chrono::minutes freshness{10};

} // namespace

environment make_environment(std::string name, std::vector<target> targets) {
    environment e;
    e.name = std::move(name);
    e.targets = std::move(targets);
    return e;
}

definition make_pipeline() {
    definition d;
    d.name = {"default", "podinfo"};
    d.app = {"helm.toolkit.fluxcd.io", "HelmRelease", "podinfo"};
    d.environments = {
        make_environment("dev", {on("podinfo")}),
        make_environment("staging", {on("podinfo")}),
        make_environment("prod", {on("podinfo")}),
    };
    promotion_policy policy;
    policy.strategy.secret = "credentials";
    policy.strategy.how = pull_request_strategy{};
    d.promotion = policy;
    return d;
}

deployment_event flux(std::string revision, verdict v, int seconds) {
    deployment_event e;
    e.object = involved_object{"helm.toolkit.fluxcd.io/v2", "HelmRelease", "podinfo", "podinfo"};
    e.facts.revision = std::move(revision);
    e.verdict = v;
    e.signed_at = at(seconds);
    e.reason = v == verdict::failed ? "UpgradeFailed" : "UpgradeSucceeded";
    e.message = v == verdict::failed ? "Helm upgrade failed" : "Helm upgrade succeeded";
    return e;
}

deployment_event healthy(std::string revision, int seconds) {
    return flux(std::move(revision), verdict::healthy, seconds);
}

deployment_event failure(std::string revision, int seconds) {
    return flux(std::move(revision), verdict::failed, seconds);
}

deployment_event tested(std::string revision, int seconds) {
    auto e = healthy(std::move(revision), seconds);
    e.reason = "TestSucceeded";
    e.tested = true;
    return e;
}

deployment_event trigger(std::string revision, int seconds) {
    auto e = healthy(std::move(revision), seconds);
    e.source = evidence_source::trigger;
    e.object.reset();
    e.reason = "trigger";
    return e;
}

deployment_event trigger_into(std::string revision, int seconds) {
    auto e = trigger(std::move(revision), seconds);
    e.into = true;
    return e;
}

deployment_event from_cluster(std::string cluster, deployment_event event) {
    event.cluster = std::move(cluster);
    return event;
}

deployment_event from_namespace(std::string ns, deployment_event event) {
    event.object->ns = std::move(ns);
    return event;
}

world::world(definition pipeline)
    : pipeline_(std::make_shared<const definition>(std::move(pipeline))) {}

decision world::tell(std::string_view environment, deployment_event event) {
    const auto now = event.signed_at + std::chrono::seconds{1};
    const auto a = match(pipeline_, std::string{environment}, std::move(event));
    if (!a) throw std::logic_error(a.error().detail);
    auto d = decide(*a, records_, now, now + freshness);
    for (const auto& c : d.changes) apply(records_, c);
    return d;
}

void world::move(std::string_view environment, std::string_view revision, promotion_state to) {
    const promotion_id id{pipeline_->name, std::string{environment}, std::string{revision}};
    pipeline::apply(records_, change{transition{id, to, {}, {}}});
}

void world::change_pipeline(definition pipeline) {
    pipeline_ = std::make_shared<const definition>(std::move(pipeline));
}

decision world::perform(const result<decision>& decided) {
    if (!decided) throw std::logic_error(decided.error().message);
    for (const auto& c : decided->changes) pipeline::apply(records_, c);
    return *decided;
}

const environment_record& world::record(std::string_view environment) const {
    static const environment_record unknown;
    const auto found = records_.find(environment);
    return found == records_.end() ? unknown : found->second;
}

std::string world::state(std::string_view environment, std::string_view revision) const {
    for (const auto& a : record(environment).attempts) {
        if (a.id.revision != revision) continue;
        std::string text{to_string(a.state)};
        if (a.reason == "evidence") text += "(evidence)";
        return text;
    }
    return "-";
}

std::string world::current(std::string_view environment) const {
    const auto& current = record(environment).current;
    return current ? written_form(*current) : "-";
}

} // namespace sluice::pipeline
