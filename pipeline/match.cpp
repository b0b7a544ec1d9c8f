#include "pipeline/decide.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace sluice::pipeline {
namespace {

error refused(std::string why) {
    return {errc::unprocessable, std::move(why)};
}

bool equal_but_for_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view group_of(std::string_view api_version) {
    const auto slash = api_version.find('/');
    return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

// What the event's object and the pipeline's appRef do not agree on; empty when they do. The API version may differ.
std::string difference(const app_ref& app, const involved_object& object) {
    std::vector<std::string> parts;
    const auto compare = [&](std::string_view what, std::string_view said, std::string_view wanted
                         ) {
        if (said == wanted) return;
        const auto* hint = equal_but_for_case(said, wanted) ? " (check upper and lower case)" : "";
        parts.push_back(fmt::format("its {} is {}, appRef names {}{}", what, said, wanted, hint));
    };
    compare("API group", group_of(object.api_version), app.group);
    compare("kind", object.kind, app.kind);
    compare("name", object.name, app.name);
    return fmt::format("{}", fmt::join(parts, "; "));
}

bool names(std::string_view cluster, const object_name& ref) {
    return cluster == ref.name || cluster == ref.text();
}

template <class Describe>
std::string listed(const std::vector<target>& targets, Describe describe) {
    std::set<std::string> words;
    for (const auto& t : targets) words.insert(describe(t));
    return fmt::format("{}", fmt::join(words, ", "));
}

result<std::vector<std::string>>
targets_of(const environment& env, const std::string& ns, const std::string& cluster) {
    std::vector<target> here;
    std::ranges::copy_if(env.targets, std::back_inserter(here), [&](const target& t) {
        return t.ns == ns;
    });
    if (here.empty()) {
        return refused(fmt::format(
            "involved object does not match Pipeline definition: its namespace is {}, the targets "
            "of {} are in {}; "
            "send it to the environment it belongs to, or add the target",
            ns,
            env.name,
            env.targets.empty() ? "none" : listed(env.targets, [](const target& t) { return t.ns; })
        ));
    }
    std::set<std::string> keys; // targets no event can tell apart count as one
    for (const auto& t : here) {
        if (cluster.empty() || !t.cluster || names(cluster, *t.cluster)) keys.insert(target_key(t));
    }
    if (keys.empty()) {
        return refused(fmt::format(
            "cluster {} names no target of environment {}: its targets in {} are on {}; set "
            "eventMetadata.cluster of "
            "the Alert to one of them",
            cluster,
            env.name,
            ns,
            listed(here, [](const target& t) { return t.cluster->text(); })
        ));
    }
    return std::vector<std::string>{keys.begin(), keys.end()};
}

outcome
check_trigger(const definition& pipeline, const environment& env, const deployment_event& event) {
    if (!env.triggers) {
        return refused(fmt::format(
            "environment {} takes no triggers (triggers: false); only Flux's own reports count "
            "there",
            env.name
        ));
    }
    const bool is_first = &env == &pipeline.environments.front();
    if (event.into && !is_first && !env.secret) {
        return refused(fmt::format(
            "a trigger may go into {} only when that environment has its own secretRef; send it "
            "into {}, the first "
            "environment, or give {} a secretRef",
            env.name,
            pipeline.environments.front().name,
            env.name
        ));
    }
    return {};
}

} // namespace

result<arrival> match(definition_ptr pipeline, std::string environment, deployment_event event) {
    const auto* env = pipeline->find(environment);
    if (env == nullptr) {
        return refused(
            fmt::format("app {} has no environment {} defined", pipeline->name.text(), environment)
        );
    }
    arrival a;
    if (event.source == evidence_source::trigger) {
        if (auto ok = check_trigger(*pipeline, *env, event); !ok) return ok.error();
        a.targets.emplace_back(event.into ? into_slot : trigger_slot);
    } else {
        const auto& object = event.object.value();
        if (const auto differs = difference(pipeline->app, object); !differs.empty()) {
            return refused(fmt::format(
                "involved object does not match Pipeline definition: {}; correct the Pipeline's "
                "appRef or the "
                "Alert's eventSources",
                differs
            ));
        }
        auto keys = targets_of(*env, object.ns, event.cluster);
        if (!keys) return std::move(keys).error();
        a.targets = std::move(*keys);
    }
    a.pipeline = std::move(pipeline);
    a.environment = std::move(environment);
    a.event = std::move(event);
    return a;
}

} // namespace sluice::pipeline
