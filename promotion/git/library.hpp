#pragma once

namespace sluice::promotion::git {

// Starts libgit2 with the settings of this program; once, from any thread, before anything else of it.
void start_library();

} // namespace sluice::promotion::git
