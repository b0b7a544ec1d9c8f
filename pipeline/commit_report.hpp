#pragma once

#include "pipeline/record.hpp"

#include <optional>
#include <string>
#include <string_view>

// An environment deployed from the very branch that promotions write to reports commits of that branch (DESIGN, translated
// reports). Only git tells what such a commit deploys, so its promotion waits until the executor has looked: it disturbs no
// other until then, and asks nobody for an approval.
namespace sluice::pipeline {

struct git_revision {
    std::string branch;
    std::string commit;

    friend bool operator==(const git_revision&, const git_revision&) = default;
};
// "main@sha1:<hex>", nothing else.
[[nodiscard]] std::optional<git_revision> parse_git_revision(std::string_view revision);

// The block that writes to the branch a report of `facts` from that environment may be about; null when it cannot be.
[[nodiscard]] const promotion_policy* reported_from(
    const definition& pipeline, std::string_view environment, const revision_facts& facts
);

// What the commit deploys is not known yet.
[[nodiscard]] bool is_looked_up(const attempt& a);
// It was known, and was another release: what the commit itself had as a promotion is over.
[[nodiscard]] bool was_translated(const attempt& a);

} // namespace sluice::pipeline
