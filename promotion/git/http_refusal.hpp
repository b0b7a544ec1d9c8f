#pragma once

#include "net/http_client.hpp"

#include <optional>
#include <string_view>

namespace sluice::promotion::git {

struct expectation {
    std::string_view content_type;
    bool writes = false;
    bool has_login = false;
    std::string_view secret = {}; // the name of the one with the login
};

// Why an answer is not what git expects, with the remedy; nothing when it is.
[[nodiscard]] std::optional<error>
refusal(const net::http_answer& answer, const expectation& expected);

// The same error with the repository in front, for the log and for the caller.
[[nodiscard]] error with_name(std::string_view repository, error e);

} // namespace sluice::promotion::git
