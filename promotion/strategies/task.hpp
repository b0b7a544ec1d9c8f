#pragma once

#include "base/result.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/promotion.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace sluice::promotion {

// What there is to do for a promotion.
enum class duty {
    none,
    carry,  // bring it to where people or the cluster see it
    follow, // see what became of its pull request
    revive, // it failed or is held: has its base or its branch changed?
    tidy,   // it ended with something of it still open outside
};

// The reason of a promotion that somebody else's commits hold.
inline constexpr std::string_view held_branch = "branch";

// A promotion and what its Pipeline says about it now.
struct task {
    pipeline::promotion promotion;
    pipeline::definition_ptr pipeline;
    const pipeline::environment* into = nullptr;        // in `pipeline`
    const pipeline::promotion_policy* policy = nullptr; // in `pipeline`
    duty what = duty::none;

    // Null for the other strategies.
    [[nodiscard]] const pipeline::pull_request_strategy* pull_request() const;
    [[nodiscard]] const pipeline::push_strategy* push() const;
};

// Where a promotion into an environment is written to.
struct destination {
    std::string url;
    std::string branch; // that the change goes into in the end
    std::string secret; // empty: none
    pipeline::forge type = pipeline::forge::git;
    std::string api_url;
    std::span<const pipeline::manifest_field> fields; // of the policy
};

// Nothing for a strategy that writes to no repository.
[[nodiscard]] std::optional<destination> destination_of(const pipeline::promotion_policy& policy);

// Whether what was done for a promotion is where its Pipeline sends it now. In another repository the number of its
// pull request means somebody else's.
[[nodiscard]] bool in_same_repository(const pipeline::promotion_work& work, const destination& to);
// And into the same branch.
[[nodiscard]] bool is_here(const pipeline::promotion_work& work, const destination& to);

// The error says why nothing can be done now: the Pipeline, the environment or its promotion block is gone.
[[nodiscard]] result<task> make_task(pipeline::promotion p, pipeline::definition_ptr pipeline);

// Tasks of one lane are done one batch at a time: one repository with one credential, or all notifications.
[[nodiscard]] std::string lane_of(const task& t);

// For messages and the ledger: without user and password.
[[nodiscard]] std::string without_login(std::string url);

} // namespace sluice::promotion
