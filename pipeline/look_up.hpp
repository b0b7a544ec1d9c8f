#pragma once

#include "pipeline/draft.hpp"

#include <string_view>

// A report of a commit of the branch that promotions write to (commit_report.hpp): the executor is asked to look what it
// deploys, and translated() goes on from there.
namespace sluice::pipeline {

// Only what Flux reports: CI names what it built.
[[nodiscard]] bool is_about_our_branch(const draft& d, const environment& into);

// `reason` is why::commit or why::failed_commit, `because` begins the sentence.
void look_up(draft& d, promotion p, std::string_view reason, std::string_view because);

// The commit is healthy again, and it matters. False: what is known of it stands.
[[nodiscard]] bool
look_up_again(draft& d, const environment& into, const attempt& existing, std::string_view because);
// The commit failed, and something may depend on it. False: what is known of it stands.
[[nodiscard]] bool look_up_failure(draft& d, const environment& into);
// From the last environment, healthy or failed: nothing follows but what becomes of the promotion into it.
[[nodiscard]] bool look_up_own(draft& d);

} // namespace sluice::pipeline
