#pragma once

#include "base/result.hpp"

#include <filesystem>

// The files of a bare repository, where libgit2 does not look after them.
namespace sluice::promotion::git {

// What a process that was killed left half-written: packs, objects, locks. They would grow for ever, and locks would block.
void remove_leftovers(const std::filesystem::path& repository);

// libgit2 never packs again, and every fetch adds a pack, every promotion some loose objects.
[[nodiscard]] bool has_grown(const std::filesystem::path& repository);

// Passwords and repositories change, and nobody else removes the cache of an old one: those nobody opened for a month go.
void remove_unused(const std::filesystem::path& caches);

// First out of the way, then gone: a process killed in between leaves no half of it under the old name.
[[nodiscard]] outcome remove_folder(const std::filesystem::path& folder);

} // namespace sluice::promotion::git
