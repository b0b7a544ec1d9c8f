#pragma once

#include "promotion/strategies/job.hpp"

#include <string>

namespace sluice::promotion {

// The end of a sentence about what was written: which files and markers were left out, where no body of a pull request tells.
// Empty: none.
[[nodiscard]] std::string remarks_of(const job& j);

} // namespace sluice::promotion
