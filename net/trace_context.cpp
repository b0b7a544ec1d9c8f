#include "net/trace_context.hpp"

#include <algorithm>

namespace sluice::net {

namespace {

bool is_hex(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    });
}

bool is_zero(std::string_view text) {
    return text.find_first_not_of('0') == std::string_view::npos;
}

} // namespace

std::string trace_context::traceparent(std::string_view span_id) const {
    return "00-" + trace_id + "-" + std::string(span_id) + (sampled ? "-01" : "-00");
}

std::optional<trace_context> parse_traceparent(std::string_view header) {
    // version(2) - trace(32) - parent(16) - flags(2); later versions may append more after a dash.
    constexpr std::size_t length = 55;
    if (header.size() < length || header[2] != '-' || header[35] != '-' || header[52] != '-') {
        return std::nullopt;
    }
    const auto version = header.substr(0, 2);
    const auto trace = header.substr(3, 32);
    const auto parent = header.substr(36, 16);
    const auto flags = header.substr(53, 2);
    if (!is_hex(version) || !is_hex(trace) || !is_hex(parent) || !is_hex(flags))
        return std::nullopt;
    if (version == "ff" || is_zero(trace) || is_zero(parent)) return std::nullopt;
    if (header.size() > length && (version == "00" || header[length] != '-')) return std::nullopt;
    const char low = flags[1];
    const int nibble = low <= '9' ? low - '0' : low - 'a' + 10;
    return trace_context{std::string(trace), std::string(parent), (nibble & 1) != 0};
}

} // namespace sluice::net
