#include "server/problem.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace sluice::server {

namespace {

constexpr std::array kinds{
    problem_kind{
        errc::invalid_argument,
        400,
        "urn:sluice:problem:invalid-request",
        "The request cannot be read"
    },
    problem_kind{
        errc::unprocessable,
        422,
        "urn:sluice:problem:unprocessable",
        "The request contradicts the Pipeline or itself"
    },
    problem_kind{
        errc::stale,
        422,
        "urn:sluice:problem:stale",
        "The signed time is outside the freshness window"
    },
    problem_kind{
        errc::unauthenticated, 401, "urn:sluice:problem:unauthenticated", "Not authenticated"
    },
    problem_kind{errc::not_found, 404, "urn:sluice:problem:not-found", "Nothing is here"},
    problem_kind{
        errc::method_not_allowed,
        405,
        "urn:sluice:problem:method-not-allowed",
        "The method is not allowed here"
    },
    problem_kind{
        errc::conflict, 409, "urn:sluice:problem:conflict", "The present state does not allow it"
    },
    problem_kind{
        errc::payload_too_large, 413, "urn:sluice:problem:body-too-large", "The body is too large"
    },
    problem_kind{
        errc::headers_too_large,
        431,
        "urn:sluice:problem:headers-too-large",
        "The headers are too large"
    },
    problem_kind{
        errc::timed_out, 408, "urn:sluice:problem:request-timeout", "The request came too slowly"
    },
    problem_kind{
        errc::too_many_requests, 429, "urn:sluice:problem:too-many-requests", "Too many requests"
    },
    problem_kind{errc::unavailable, 503, "urn:sluice:problem:unavailable", "Not possible just now"},
    problem_kind{errc::unsupported, 501, "urn:sluice:problem:unsupported", "Not supported"},
    problem_kind{
        errc::internal, 500, "urn:sluice:problem:internal", "Something went wrong on our side"
    },
};

// Flux gives up after 15 s in all, so a longer wait would lose the event.
constexpr std::chrono::seconds longest_wait{2};

} // namespace

std::span<const problem_kind> problem_kinds() noexcept {
    return kinds;
}

const problem_kind& problem_of(errc code) noexcept {
    const auto found = std::find_if(kinds.begin(), kinds.end(), [code](const problem_kind& k) {
        return k.code == code;
    });
    return found != kinds.end() ? *found : kinds.back();
}

http::response problem(const error& e, std::string_view request_id) {
    const auto& kind = problem_of(e.code);
    nlohmann::ordered_json body{
        {"type", kind.type},
        {"title", kind.title},
        {"status", kind.status},
    };
    // A bug's own words are for the log.
    if (e.code == errc::internal) {
        body["detail"] = "The log has the cause under this request id.";
    } else if (!e.detail.empty()) {
        body["detail"] = e.detail;
    }
    if (!request_id.empty()) body["requestId"] = request_id;

    using error_handler = nlohmann::ordered_json::error_handler_t;
    http::response answer{
        kind.status,
        "application/problem+json",
        body.dump(-1, ' ', false, error_handler::replace),
    };
    if (kind.code == errc::unavailable || kind.code == errc::too_many_requests) {
        const auto wait = std::clamp(
            e.retry_after.value_or(std::chrono::seconds{1}), std::chrono::seconds{1}, longest_wait
        );
        answer.headers.emplace_back("Retry-After", std::to_string(wait.count()));
    }
    return answer;
}

} // namespace sluice::server
