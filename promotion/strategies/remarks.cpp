#include "promotion/strategies/remarks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace sluice::promotion {

std::string remarks_of(const job& j) {
    if (j.remarks.empty()) return {};
    constexpr std::size_t told = 5;
    const auto shown = std::span{j.remarks}.first(std::min(told, j.remarks.size()));
    const auto rest = j.remarks.size() - shown.size();
    return fmt::format(
        "; not usable: {}{}",
        fmt::join(shown, "; "),
        rest == 0 ? "" : fmt::format("; and {} more", rest)
    );
}

} // namespace sluice::promotion
