#pragma once

#include "promotion/forge/json_call.hpp"

#include <map>
#include <string>

namespace sluice::promotion::forge {

using label_ids = std::map<std::string, std::int64_t, std::less<>>;

// Gitea labels by number. The repository's own win over its organisation's. Awaited while `call` lives.
[[nodiscard]] boost::asio::awaitable<result<label_ids>>
gitea_label_ids(json_call& call, std::string repository);

} // namespace sluice::promotion::forge
