#pragma once

#include "base/result.hpp"
#include "pipeline/deployment_event.hpp"

#include <string_view>

namespace sluice::pipeline {

// Every Flux generation of facts/wire.md A1: prefixed and plain metadata keys, "+digest" suffixes, old "reason = info" events.
// errc::invalid_argument names the JSON path and what was expected; a success without a revision is errc::unprocessable.
[[nodiscard]] result<deployment_event> parse_flux_event(std::string_view body);

} // namespace sluice::pipeline
