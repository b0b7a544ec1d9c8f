#pragma once

#include "promotion/git/http_session.hpp"

#include <git2/sys/transport.h>

#include <optional>
#include <string>

namespace sluice::promotion::git {

// libgit2's smart protocol over our own HTTP: what it sends and reads goes through the session. The repository's list of
// branches has been read already and is handed to it.
struct smart_transport {
    http_session& session;
    std::string advertisement;
    std::optional<error> failure; // why libgit2 was told to give up

    // For git_remote_callbacks.transport, with this as the payload.
    static int make(git_transport** out, git_remote* owner, void* self);
};

} // namespace sluice::promotion::git
