#pragma once

#include "observe/metrics.hpp"
#include "promotion/git/handles.hpp"
#include "promotion/git/marker_index.hpp"
#include "promotion/git/repository.hpp"

#include <span>

namespace sluice::promotion::git {

struct tree_patch {
    git_repository* repository;
    marker_index& index;
    observe::counter& blobs_read;
};

// repository::patch() and places() without their care for the cache.
[[nodiscard]] result<patched_tree> patch_tree(
    const tree_patch& in,
    const git_oid& commit,
    const promotion_key& key,
    const pipeline::revision_facts& facts,
    std::span<const pipeline::manifest_field> fields
);
[[nodiscard]] result<std::vector<present_value>> read_tree(
    const tree_patch& in,
    const git_oid& commit,
    const promotion_key& key,
    std::span<const pipeline::manifest_field> fields
);

} // namespace sluice::promotion::git
