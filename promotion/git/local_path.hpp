#pragma once

#include "base/result.hpp"

#include <filesystem>
#include <string>

namespace sluice::promotion::git {

// The folder a file:// URL leads to, links resolved, if it is below `root`. All errors are permanent.
[[nodiscard]] result<std::filesystem::path>
local_path(const std::string& url, const std::filesystem::path& root);

} // namespace sluice::promotion::git
