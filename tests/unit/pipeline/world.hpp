#pragma once

#include "pipeline/decide.hpp"

#include <string>
#include <string_view>

// A pipeline, what is known of it, and the events of a story.
namespace sluice::pipeline {

inline time_point at(int seconds) {
    return time_point{std::chrono::seconds{1'786'108'364 + seconds}};
}

inline revision_facts facts(std::string revision, std::string digest = {}) {
    revision_facts f;
    f.revision = std::move(revision);
    f.digest = std::move(digest);
    return f;
}

inline target on(std::string ns) {
    return {std::move(ns), std::nullopt};
}
inline target on(std::string ns, std::string cluster) {
    return {std::move(ns), object_name{"flux-system", std::move(cluster)}};
}

environment make_environment(std::string name, std::vector<target> targets);
// default/podinfo, HelmRelease podinfo: dev, staging, prod with one target each, pull requests without approval.
definition make_pipeline();

deployment_event flux(std::string revision, verdict v, int seconds);
deployment_event healthy(std::string revision, int seconds);
deployment_event failure(std::string revision, int seconds);
deployment_event tested(std::string revision, int seconds);
deployment_event trigger(std::string revision, int seconds);
deployment_event trigger_into(std::string revision, int seconds);
deployment_event from_cluster(std::string cluster, deployment_event event);
deployment_event from_namespace(std::string ns, deployment_event event);

class world {
public:
    explicit world(definition pipeline = make_pipeline());

    // match, decide, apply: the answer as the sender gets it.
    decision tell(std::string_view environment, deployment_event event);
    // What the executor or a person did meanwhile; pipeline::merged() also tells what runs.
    void move(std::string_view environment, std::string_view revision, promotion_state to);
    void change_pipeline(definition pipeline);
    // Applies what a person or the executor decided; throws when it was refused.
    decision perform(const result<decision>& decided);
    [[nodiscard]] definition_ptr pipeline() const { return pipeline_; }

    [[nodiscard]] const environment_record& record(std::string_view environment) const;
    // "Pending", "Held(evidence)", "Denied"; "-" when there is no attempt.
    [[nodiscard]] std::string state(std::string_view environment, std::string_view revision) const;
    [[nodiscard]] std::string current(std::string_view environment) const; // "-": unknown
    [[nodiscard]] const pipeline_records& records() const { return records_; }

private:
    definition_ptr pipeline_;
    pipeline_records records_;
};

} // namespace sluice::pipeline
