#pragma once

#include "base/result.hpp"
#include "pipeline/deployment_event.hpp"

#include <optional>
#include <string_view>

namespace sluice::pipeline {

// {"revision":"1.2.3","timestamp":"…"} with optional into, image, tag, digest, url, metadata; unknown keys are refused.
// `signed_header_time` is the time a Standard Webhooks signature covers; without it the body must carry a timestamp.
[[nodiscard]] result<deployment_event>
parse_trigger(std::string_view body, std::optional<time_point> signed_header_time);

// A Flux event has `involvedObject`; a trigger has not. The body is read once.
[[nodiscard]] result<deployment_event>
parse_event(std::string_view body, std::optional<time_point> signed_header_time);

} // namespace sluice::pipeline
