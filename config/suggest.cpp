#include "config/suggest.hpp"

#include <algorithm>
#include <numeric>

namespace sluice::config {
namespace {

// Names longer than this are no typing mistake of ours; it also bounds the work.
constexpr std::size_t longest_name = 64;

// Keys are written with '-' and environment variables with '_'; which of the two was typed is not a mistake of meaning.
char folded(char c) {
    if (c == '_') return '-';
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

// Levenshtein: how many letters must be added, dropped or changed.
std::size_t distance(std::string_view a, std::string_view b) {
    std::vector<std::size_t> row(b.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 0; i < a.size(); ++i) {
        std::size_t diagonal = row[0];
        row[0] = i + 1;
        for (std::size_t j = 0; j < b.size(); ++j) {
            const std::size_t changed = diagonal + (folded(a[i]) == folded(b[j]) ? 0 : 1);
            diagonal = row[j + 1];
            row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
        }
    }
    return row.back();
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
