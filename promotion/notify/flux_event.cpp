#include "promotion/notify/flux_event.hpp"

#include "base/rfc3339.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::promotion::notify {

std::string promote_event(const pipeline::promotion& p, std::string_view reporter, time_point now) {
    using nlohmann::json;
    const auto& id = p.id;
    constexpr std::string_view group = "pipelines.weave.works/";
    json metadata = json::object();
    const auto tell = [&](std::string_view key, const std::string& value) {
        if (value.empty()) return;
        metadata[std::string{key}] = value;
        metadata[fmt::format("{}{}", group, key)] = value;
    };
    tell("environment", id.environment);
    tell("version", id.revision);
    tell("id", id.text()); // sent at least once: the receiver knows a repeated one by it
    tell("app-version", p.facts.app_version);
    tell("digest", p.facts.digest);

    const json event{
        {"involvedObject",
         {{"apiVersion", "pipelines.weave.works/v1alpha1"},
          {"kind", "Pipeline"},
          {"namespace", id.pipeline.ns},
          {"name", id.pipeline.name}}},
        {"severity", "info"},
        {"timestamp", format_rfc3339(std::chrono::floor<std::chrono::seconds>(now))},
        {"message",
         fmt::format(
             "Promote pipeline {} to {} with version {}",
             id.pipeline.text(),
             id.environment,
             id.revision
         )},
        {"reason", "Promote"},
        {"metadata", std::move(metadata)},
        {"reportingController", "pipeline-controller"},
        {"reportingInstance", reporter},
    };
    return event.dump(-1, ' ', false, json::error_handler_t::replace);
}

} // namespace sluice::promotion::notify
