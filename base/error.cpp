#include "base/error.hpp"

namespace sluice {

std::string_view to_string(errc code) noexcept {
    switch (code) {
    case errc::invalid_argument: return "invalid_argument";
    case errc::unprocessable: return "unprocessable";
    case errc::stale: return "stale";
    case errc::unauthenticated: return "unauthenticated";
    case errc::not_found: return "not_found";
    case errc::method_not_allowed: return "method_not_allowed";
    case errc::conflict: return "conflict";
    case errc::payload_too_large: return "payload_too_large";
    case errc::headers_too_large: return "headers_too_large";
    case errc::timed_out: return "timed_out";
    case errc::too_many_requests: return "too_many_requests";
    case errc::unavailable: return "unavailable";
    case errc::unsupported: return "unsupported";
    case errc::internal: return "internal";
    }
    return "internal";
}

} // namespace sluice
