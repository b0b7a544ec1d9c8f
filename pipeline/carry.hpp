#pragma once

#include "pipeline/draft.hpp"

namespace sluice::pipeline {

// The revision may go into `into`: open its promotion, find the one it has, or say why not. `first_evidence` is when it
// was proven, `because` begins the sentence: "6.1.8 is healthy in dev".
void carry_into(
    draft& d, const environment& into, time_point first_evidence, const std::string& because
);

} // namespace sluice::pipeline
