#pragma once

#include <git2.h>
#include <git2/sys/odb_backend.h>

#include <vector>

namespace sluice::promotion::git {

// Before libgit2 writes an object it looks for it on disk, by touching the file it would be in, and lists every pack folder
// again because it is not there: what is written for the first time is never found. As long as this lives, neither is
// done. For writing; what is read must have been found before.
class no_rescan {
public:
    explicit no_rescan(git_repository* repository);
    ~no_rescan();
    no_rescan(const no_rescan&) = delete;
    no_rescan& operator=(const no_rescan&) = delete;

private:
    struct paused {
        git_odb_backend* backend; // owned by the repository
        decltype(git_odb_backend::refresh) refresh;
        decltype(git_odb_backend::freshen) freshen;
        decltype(git_odb_backend::exists) exists;
    };
    std::vector<paused> paused_;
};

} // namespace sluice::promotion::git
