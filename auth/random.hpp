#pragma once

#include <cstddef>
#include <string>

namespace sluice::auth {

// Bytes nobody can guess.
[[nodiscard]] std::string random_bytes(std::size_t count);

} // namespace sluice::auth
