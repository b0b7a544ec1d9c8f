#pragma once

#include "base/result.hpp"

#include <cstddef>

namespace sluice::cli {

// Lets the process open this many files. The error says how far it came and how to allow more; one can go on with that.
[[nodiscard]] outcome raise_descriptor_limit(std::size_t needed);

} // namespace sluice::cli
