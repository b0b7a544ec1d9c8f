#include "promotion/git/pkt_line.hpp"

#include <fmt/format.h>

#include <charconv>
#include <iterator>

namespace sluice::promotion::git {

void append_pkt(std::string& out, std::string_view payload) {
    fmt::format_to(std::back_inserter(out), "{:04x}{}", payload.size() + 4, payload);
}

pkt_reader::pkt pkt_reader::next() {
    if (rest_.empty()) return {kind::end, {}};
    std::size_t size = 0;
    if (rest_.size() < 4) return {kind::broken, {}};
    const auto [end, failed] = std::from_chars(rest_.data(), rest_.data() + 4, size, 16);
    if (failed != std::errc{} || end != rest_.data() + 4) return {kind::broken, {}};
    if (size == 0) {
        rest_.remove_prefix(4);
        return {kind::flush, {}};
    }
    if (size < 4 || size > rest_.size()) return {kind::broken, {}};
    const auto payload = rest_.substr(4, size - 4);
    rest_.remove_prefix(size);
    return {kind::line, payload};
}

} // namespace sluice::promotion::git
