#pragma once

#include <filesystem>
#include <stdexcept>

namespace sluice::tests {

// The root of the repository, from any folder inside it. Not __FILE__: a path in the object would be another for each clone.
inline std::filesystem::path source_tree() {
    namespace fs = std::filesystem;
    for (auto folder = fs::current_path(); folder != folder.root_path();
         folder = folder.parent_path()) {
        if (fs::exists(folder / "vcpkg.json")) return folder;
    }
    throw std::runtime_error("run the tests from inside the repository");
}

} // namespace sluice::tests
