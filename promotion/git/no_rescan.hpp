#pragma once

#include <git2.h>
#include <git2/sys/odb_backend.h>

#include <utility>
#include <vector>

namespace sluice::promotion::git {

// libgit2 lists every pack folder again whenever it does not find an object, and what is written for the first time is
// never found: four listings per promotion, each longer with every push. As long as this lives, nothing is listed
// again. For writing; what is read must have been found before.
class no_rescan {
public:
    explicit no_rescan(git_repository* repository);
    ~no_rescan();
    no_rescan(const no_rescan&) = delete;
    no_rescan& operator=(const no_rescan&) = delete;

private:
    using refresh_fn = decltype(git_odb_backend::refresh);
    std::vector<std::pair<git_odb_backend*, refresh_fn>> paused_; // owned by the repository
};

} // namespace sluice::promotion::git
