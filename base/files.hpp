#pragma once

#include "base/result.hpp"

#include <filesystem>
#include <string>
#include <vector>

// Reading what an operator left in a folder: bounded, and with the path in every error.
namespace sluice {

// errc::not_found when it is not there; payload_too_large above the limit.
[[nodiscard]] result<std::string> read_file(const std::filesystem::path& file, std::size_t limit);

// All *.yaml and *.yml below a folder, sorted. Names that begin with "." are left out: editors' and git's files, and the
// "..data" of Kubernetes mounts, whose content is also there under its own name. Links to files are followed, links to folders are not.
[[nodiscard]] result<std::vector<std::filesystem::path>>
yaml_files(const std::filesystem::path& root);

} // namespace sluice
