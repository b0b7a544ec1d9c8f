#pragma once

#include "pipeline/draft.hpp"

namespace sluice::pipeline {

// Keeps an environment's record small. An ended attempt goes when nobody reports its revision any more, it is not what
// runs, and 10 others ended after it: at once would start a closed or rejected one anew should its revision come back.
void forget_ended_attempts(draft& d, const environment& into);

} // namespace sluice::pipeline
