#include "pipeline/commit_report.hpp"

#include "pipeline/draft.hpp"

#include <algorithm>

namespace sluice::pipeline {
namespace {

const std::string* branch_of(const promotion_policy& policy) {
    const auto& how = policy.strategy.how;
    if (const auto* pr = std::get_if<pull_request_strategy>(&how)) return &pr->base_branch;
    if (const auto* push = std::get_if<push_strategy>(&how)) return &push->branch;
    return nullptr;
}

// Of promotions into it; where there are none, of those into the next one.
const promotion_policy* policy_of(const definition& pipeline, std::string_view environment) {
    const auto* here = pipeline.find(environment);
    if (here == nullptr) return nullptr;
    if (const auto* policy = pipeline.policy_into(*here)) return policy;
    const auto* next = pipeline.next_after(environment);
    return next == nullptr ? nullptr : pipeline.policy_into(*next);
}

} // namespace

std::optional<git_revision> parse_git_revision(std::string_view revision) {
    constexpr std::string_view separator = "@sha1:";
    constexpr std::size_t hex_digits = 40;
    const auto at = revision.rfind(separator);
    if (at == std::string_view::npos || at == 0) return std::nullopt;
    const auto commit = revision.substr(at + separator.size());
    const auto is_hex = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); };
    if (commit.size() != hex_digits || !std::ranges::all_of(commit, is_hex)) return std::nullopt;
    auto branch = revision.substr(0, at);
    constexpr std::string_view heads = "refs/heads/";
    if (branch.starts_with(heads)) branch.remove_prefix(heads.size());
    return git_revision{std::string{branch}, std::string{commit}};
}

const promotion_policy* reported_from(
    const definition& pipeline, std::string_view environment, const revision_facts& facts
) {
    const auto revision = parse_git_revision(facts.revision);
    if (!revision) return nullptr;
    const auto* policy = policy_of(pipeline, environment);
    const auto* branch = policy == nullptr ? nullptr : branch_of(*policy);
    return branch != nullptr && *branch == revision->branch ? policy : nullptr;
}

bool is_looked_up(const attempt& a) {
    return a.state == promotion_state::pending &&
           (a.reason == why::commit || a.reason == why::failed_commit || a.reason == why::own_commit
           );
}

bool was_translated(const attempt& a) {
    return a.state == promotion_state::superseded && a.reason == why::translated;
}

} // namespace sluice::pipeline
