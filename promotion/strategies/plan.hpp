#pragma once

#include "promotion/strategies/job.hpp"

// From a fresh base to a commit, in the repository's cache only. Blocking: on a git thread.
namespace sluice::promotion {

// Long enough for every marker of one pipeline, short enough for every forge's body.
inline constexpr std::size_t longest_diff = 16U << 10U;

// Fills in the job's findings.
void plan_pull_request(git::repository& in, const tips& fetched, const git::author& by, job& j);

// Commits of one branch stand on each other: `stacked` is where the last one left each branch.
void plan_push(
    git::repository& in, const tips& fetched, const git::author& by, tips& stacked, job& j
);

// Whether anything that is written about it says who proved it, so that the records are needed.
[[nodiscard]] bool tells_evidence(const job& j);

[[nodiscard]] promotion_key key_of(const pipeline::promotion_id& id);

} // namespace sluice::promotion
