#pragma once

#include "base/clock.hpp"

#include <optional>
#include <string>

// What somebody says happened in an environment, in Sluice's words: the same for a Flux event, a CI trigger and, later,
// what a watcher saw.
namespace sluice::pipeline {

// What a reported revision is known to be. `revision` is what was reported; written_form() is what manifests get.
struct revision_facts {
    std::string revision;
    std::string app_version;
    std::string digest;
    std::string image;
    std::string tag;

    friend bool operator==(const revision_facts&, const revision_facts&) = default;
};

enum class verdict { healthy, failed, rolled_back, uninstalled, none };
enum class evidence_source { flux, trigger };

struct involved_object {
    std::string api_version;
    std::string kind;
    std::string ns;
    std::string name;
};

struct deployment_event {
    evidence_source source = evidence_source::flux;
    std::optional<involved_object> object; // of a Flux event
    std::string cluster;                   // metadata key `cluster`; empty: the event names none
    bool into = false; // a trigger that asks to carry the revision INTO the environment
    revision_facts facts;
    pipeline::verdict verdict = pipeline::verdict::none;
    bool tested = false; // the Helm test event
    time_point signed_at;
    std::string reason;  // as the sender spelled it
    std::string message; // first line, for people
    std::string url;     // of a trigger: the CI run
};

} // namespace sluice::pipeline
