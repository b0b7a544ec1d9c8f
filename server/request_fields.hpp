#pragma once

#include "net/http.hpp"
#include "observe/log.hpp"

// How every log line names the request it is about, so that one search finds them all.
namespace sluice::server {

[[nodiscard]] inline log::field request_id_of(const http::request& request) {
    return {"request_id", request.request_id};
}

// Empty for a request that belongs to no trace.
[[nodiscard]] inline log::field trace_id_of(const http::request& request) {
    return {"trace_id", request.trace ? std::string_view{request.trace->trace_id} : ""};
}

} // namespace sluice::server
