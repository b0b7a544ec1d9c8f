#pragma once

#include "base/result.hpp"
#include "observe/metrics.hpp"
#include "promotion/git/handles.hpp"
#include "promotion/git/marker_index.hpp"
#include "promotion/manifest/marker.hpp"

#include <string>
#include <vector>

namespace sluice::promotion::git {

struct tree_file {
    std::string path;
    git_oid blob{};
    git_filemode_t mode = GIT_FILEMODE_BLOB;
};

struct marked_files {
    std::vector<tree_file> files;        // that hold a marker of the promotion, by path
    std::vector<std::string> unreadable; // "path:line: why"
    std::vector<std::string> strays;
};

// Looks at regular *.yaml and *.yml files below a tree; links and submodules are not followed. `read` counts the blobs that
// had to be read because the index did not know them.
[[nodiscard]] result<marked_files> find_files(
    git_repository* repository,
    const git_oid& tree,
    const promotion_key& key,
    marker_index& index,
    observe::counter& read
);

// "ns:name:env", as the index and markers call it.
[[nodiscard]] std::string key_text(const promotion_key& key);

} // namespace sluice::promotion::git
