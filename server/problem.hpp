#pragma once

#include "base/error.hpp"
#include "net/http.hpp"

#include <span>
#include <string_view>

namespace sluice::server {

// The one place where an errc becomes an HTTP status. `type` never changes once released; docs/problems.md explains each.
struct problem_kind {
    errc code;
    int status;
    std::string_view type;
    std::string_view title;
};

[[nodiscard]] std::span<const problem_kind> problem_kinds() noexcept;
[[nodiscard]] const problem_kind& problem_of(errc code) noexcept;

// application/problem+json (RFC 9457) with what the caller may know: `detail`, never `message`.
[[nodiscard]] http::response problem(const error& e, std::string_view request_id);

} // namespace sluice::server
