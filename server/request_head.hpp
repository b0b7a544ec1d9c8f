#pragma once

#include "base/result.hpp"
#include "net/http.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace sluice::server {

// How the bytes after the head belong to the request.
struct body_framing {
    std::uint64_t content_length = 0;
    bool chunked = false;
    bool expects_continue = false;
    bool keep_alive = true;
};

// Reads a whole head, from the first byte to the empty line, into `into` (views into `head`). Beast's parser alone lets
// through what makes two readers disagree about where a request ends, so everything doubtful is refused here.
[[nodiscard]] result<body_framing>
read_head(std::string_view head, std::size_t most_fields, http::request& into);

} // namespace sluice::server
