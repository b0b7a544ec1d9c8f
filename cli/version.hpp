#pragma once

#include <string_view>

namespace sluice::cli {

[[nodiscard]] std::string_view version() noexcept;

} // namespace sluice::cli
