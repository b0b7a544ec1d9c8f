#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace sluice {

// What can go wrong in production. server/problem.cpp maps each to one HTTP status and problem type.
enum class errc {
    invalid_argument, // what was sent cannot be read
    unprocessable,    // it was read, but contradicts the Pipeline or itself
    stale,            // verified, but its signed time is outside the freshness window
    unauthenticated,  // one answer for every reason
    not_found,
    method_not_allowed,
    conflict,
    payload_too_large,
    headers_too_large,
    timed_out,
    too_many_requests,
    unavailable, // may work later: overload, storage trouble, a source that is unwell
    unsupported,
    internal,
};

[[nodiscard]] std::string_view to_string(errc code) noexcept;

// What is logged is not what is sent: `message` may name files and causes, `detail` is for the caller.
struct error {
    errc code = errc::internal;
    std::string message;
    std::string detail;
    std::optional<std::chrono::seconds> retry_after;

    error() = default;
    error(errc c, std::string text) : code(c), message(text), detail(std::move(text)) {}
    error(errc c, std::string log, std::string told)
        : code(c), message(std::move(log)), detail(std::move(told)) {}

    [[nodiscard]] error&& after(std::chrono::seconds delay) && {
        retry_after = delay;
        return std::move(*this);
    }
};

} // namespace sluice
