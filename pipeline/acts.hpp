#pragma once

#include "pipeline/decide.hpp"

#include <string>
#include <string_view>

// What people do to promotions. Each is pure and runs inside the ledger's transaction, as decide() does. An act that cannot
// be done is an error that says why and what to do instead: not_found, conflict (its state does not allow it, or a newer one
// took its place) or unprocessable (the Pipeline does not allow it).
namespace sluice::pipeline {

struct act {
    definition_ptr pipeline;
    std::string who;  // for the message and the history: "user:alice", "approval-key", "control"
    std::string note; // the reason a person gave; may be empty
    time_point now;
};

// AwaitingApproval -> Pending (reason "approved"). Approving what already went on is answered duplicate.
[[nodiscard]] result<decision>
approve(const act& a, const pipeline_records& records, const promotion_id& id);
// AwaitingApproval -> Rejected.
[[nodiscard]] result<decision>
reject(const act& a, const pipeline_records& records, const promotion_id& id);
// Anything that has not ended and is not merged -> Cancelled. The executor closes what is open outside.
[[nodiscard]] result<decision>
cancel(const act& a, const pipeline_records& records, const promotion_id& id);
// `p` as the ledger shows it. Failed, and Held(branch): opened again in place, approvals kept. Closed, Rejected, Expired,
// Cancelled: a new attempt, unless a newer revision took its place. Running or PullRequestOpen with retryAt: tried at once.
[[nodiscard]] result<decision>
retry(const act& a, const pipeline_records& records, const promotion& p);
// A person asks for a revision: opens the next attempt even when older than what runs is refused with `rollback` named.
// `manual: true` still waits for approval.
[[nodiscard]] result<decision> promote(
    const act& a,
    const pipeline_records& records,
    std::string_view environment,
    const revision_facts& facts
);

} // namespace sluice::pipeline
