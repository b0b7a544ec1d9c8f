#pragma once

#include "base/result.hpp"

#include <chrono>
#include <string>
#include <string_view>

// One request to the control socket of a server on this machine. Blocking: for the command line only.
namespace sluice::net {

struct unix_response {
    int status = 0;
    std::string body;
};

struct unix_request {
    std::string method = "GET";
    std::string target; // sent as it is
    std::string body;
    std::string content_type = "application/json"; // sent with a body only
};

// errc::not_found when nothing listens there; errc::timed_out when the whole exchange took longer than `within`;
// errc::invalid_argument when a part of the request would end its line.
[[nodiscard]] result<unix_response> send_over_unix_socket(
    const std::string& socket_path, const unix_request& request, std::chrono::milliseconds within
);

[[nodiscard]] result<unix_response> get_over_unix_socket(
    const std::string& socket_path, std::string_view target, std::chrono::milliseconds within
);

} // namespace sluice::net
