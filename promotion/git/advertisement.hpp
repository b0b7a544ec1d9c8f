#pragma once

#include "base/result.hpp"
#include "promotion/git/wire.hpp"

#include <string_view>

namespace sluice::promotion::git {

// The branches in the answer to info/refs. Unavailable when it was cut or is not git's.
[[nodiscard]] result<branch_tips> read_advertisement(std::string_view bytes);

} // namespace sluice::promotion::git
