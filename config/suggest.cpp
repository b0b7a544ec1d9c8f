#include "config/suggest.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

namespace sluice::config {
namespace {

// Names longer than this are no typing mistake of ours; it also bounds the work.
constexpr std::size_t longest_name = 64;

// Keys are written with '-' and environment variables with '_'; which of the two was typed is not a mistake of meaning.
char folded(char c) {
    if (c == '_') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// How many letters must be added, dropped, changed or swapped with their neighbour (optimal string alignment).
std::size_t distance(std::string_view a, std::string_view b) {
    using row = std::vector<std::size_t>;
    row before_last(b.size() + 1);
    row last(b.size() + 1);
    std::iota(last.begin(), last.end(), std::size_t{0});
    for (std::size_t i = 1; i <= a.size(); ++i) {
        row now(b.size() + 1);
        now[0] = i;
        for (std::size_t j = 1; j <= b.size(); ++j) {
            const auto same = [&](std::size_t x, std::size_t y) {
                return folded(a[x - 1]) == folded(b[y - 1]);
            };
            now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (same(i, j) ? 0 : 1)});
            const bool swapped = i > 1 && j > 1 && same(i, j - 1) && same(i - 1, j);
            if (swapped) now[j] = std::min(now[j], before_last[j - 2] + 1);
        }
        before_last = std::exchange(last, std::move(now));
    }
    return last.back();
}

} // namespace

std::string did_you_mean(std::string_view written, const std::vector<std::string_view>& known) {
    if (written.size() > longest_name) return {};
    std::string_view nearest;
    std::size_t best = std::max<std::size_t>(1, written.size() / 3) + 1;
    for (const auto name : known) {
        if (const auto d = distance(written, name); d < best) {
            best = d;
            nearest = name;
        }
    }
    return nearest.empty() ? std::string{} : " (did you mean \"" + std::string{nearest} + "\"?)";
}

} // namespace sluice::config
