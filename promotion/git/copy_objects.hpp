#pragma once

#include "promotion/git/handles.hpp"

#include <vector>

namespace sluice::promotion::git {

// A few are written one by one, many as one pack: files are what costs. 0 or libgit2's error.
[[nodiscard]] int
copy_objects(git_repository* from, git_odb* into, const std::vector<git_oid>& objects);

} // namespace sluice::promotion::git
