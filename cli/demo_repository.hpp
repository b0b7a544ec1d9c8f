#pragma once

#include "base/result.hpp"

#include <filesystem>
#include <string>

namespace sluice::cli {

// A bare repository with one commit on main: the HelmRelease podinfo of dev, staging and prod, each in
// apps/<environment>/podinfo.yaml with its version marked for default/podinfo.
[[nodiscard]] outcome
make_demo_repository(const std::filesystem::path& folder, const std::string& version);

// What `branch` changes on main, as a unified diff with one line around each change.
[[nodiscard]] result<std::string>
diff_to_main(const std::filesystem::path& folder, const std::string& branch);

} // namespace sluice::cli
