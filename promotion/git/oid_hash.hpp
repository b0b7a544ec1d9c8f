#pragma once

#include <git2/oid.h>

#include <cstddef>
#include <cstring>

namespace sluice::promotion::git {

// An id is a hash already.
struct oid_hash {
    using is_avalanching = void;
    std::size_t operator()(const git_oid& id) const noexcept {
        std::size_t out = 0;
        std::memcpy(&out, id.id, sizeof out);
        return out;
    }
};
struct oid_equal {
    bool operator()(const git_oid& a, const git_oid& b) const noexcept {
        return std::memcmp(a.id, b.id, sizeof a.id) == 0;
    }
};

} // namespace sluice::promotion::git
