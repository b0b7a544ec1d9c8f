#pragma once

#include "pipeline/deployment_event.hpp"
#include "pipeline/pipeline.hpp"

namespace sluice::pipeline {

// The entry of `deny` that names this revision, as it was reported or as manifests get it; or null.
[[nodiscard]] const denial* find_denial(const definition& pipeline, const revision_facts& facts);

} // namespace sluice::pipeline
