#pragma once

#include "base/result.hpp"
#include "promotion/git/handles.hpp"

#include <span>
#include <vector>

namespace sluice::promotion::git {

// What must be sent so that the remote has `targets`, when it has `known` with all their history. Only folders that differ
// from the parent's are read, so that the size of the repository does not matter. Blobs and folders come before
// what names them, and older commits before newer ones: who writes them so and is cut off leaves no tip that is not whole.
[[nodiscard]] result<std::vector<git_oid>> new_objects(
    git_repository* repository, std::span<const git_oid> targets, std::span<const git_oid> known
);

} // namespace sluice::promotion::git
