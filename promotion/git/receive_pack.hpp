#pragma once

#include "base/result.hpp"
#include "promotion/git/wire.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace sluice::promotion::git {

// A push as one request: the expected and the new tip of every ref, then the pack. The server compares the tips in its own
// lock, so that nothing need be asked before.
[[nodiscard]] result<std::string> push_request(
    git_repository* repository,
    const std::vector<ref_update>& updates,
    const std::vector<git_oid>& objects
);

// What the server said about each, in the order of `updates`. Unavailable when the answer was cut off.
[[nodiscard]] result<std::vector<ref_status>>
read_report(std::string_view answer, const std::vector<ref_update>& updates);

} // namespace sluice::promotion::git
