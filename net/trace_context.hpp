#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace sluice::net {

// W3C Trace Context: which distributed trace a request belongs to.
struct trace_context {
    std::string trace_id;  // 32 lower-case hex digits
    std::string parent_id; // 16 lower-case hex digits: the caller's span
    bool sampled = false;

    // The header for a call made on behalf of this request; `span_id` is ours, 16 lower-case hex digits.
    [[nodiscard]] std::string traceparent(std::string_view span_id) const;
};

// Nothing for what the specification tells to ignore.
[[nodiscard]] std::optional<trace_context> parse_traceparent(std::string_view header);

} // namespace sluice::net
