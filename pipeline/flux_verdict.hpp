#pragma once

#include "pipeline/deployment_event.hpp"

#include <string_view>

namespace sluice::pipeline {

struct flux_verdict {
    pipeline::verdict verdict = pipeline::verdict::none;
    bool tested = false;
};

// DESIGN's verdicts over Flux's reasons. Everything unknown is `none`: only proof of health promotes.
[[nodiscard]] flux_verdict
verdict_of(std::string_view severity, std::string_view reason, std::string_view message);

} // namespace sluice::pipeline
