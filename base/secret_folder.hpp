#pragma once

#include "base/result.hpp"
#include "base/secret_string.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

// Secrets on disk as Kubernetes mounts them: ROOT/<namespace>/<name>/<key>. Names that begin with "." are not ours ("..data").
namespace sluice {

inline constexpr std::size_t max_secret_value =
    std::size_t{1} << 20U; // a Kubernetes Secret is at most 1 MiB in all

struct secret_folder {
    std::string ns;
    std::string name;
    std::filesystem::path path;
};

// The Secrets below a root, sorted by namespace and name.
[[nodiscard]] result<std::vector<secret_folder>>
list_secret_folders(const std::filesystem::path& root);

struct secret_content {
    std::map<std::string, secret_string, std::less<>> data;
    std::vector<std::filesystem::path>
        readable_by_all; // plain files with mode o+r; Kubernetes' mounts are not listed
};

// The error names the file, never its content. errc::not_found when the folder is not there.
[[nodiscard]] result<secret_content> read_secret_folder(const std::filesystem::path& folder);

} // namespace sluice
