#pragma once

#include "net/http.hpp"

#include <string>
#include <string_view>

namespace sluice::server {

struct response_context {
    std::string_view request_id;
    bool keep_alive = true;
    bool head_only = false; // the answer to HEAD: the length of the body, not the body
};

// The whole answer as it goes over the wire, in one buffer and so in one write.
[[nodiscard]] std::string serialise(const http::response& r, const response_context& context);

} // namespace sluice::server
