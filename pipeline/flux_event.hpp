#pragma once

#include "base/result.hpp"
#include "pipeline/deployment_event.hpp"
#include "pipeline/event_document.hpp"

#include <string_view>

namespace sluice::pipeline {

// Every Flux generation: prefixed and plain metadata keys, "+digest" suffixes, old "reason = info" events. Unknown
// members are ignored. errc::invalid_argument names the JSON path; a success without a revision is errc::unprocessable.
[[nodiscard]] result<deployment_event> parse_flux_event(std::string_view body);
[[nodiscard]] result<deployment_event> read_flux_event(const event_document& document);

} // namespace sluice::pipeline
