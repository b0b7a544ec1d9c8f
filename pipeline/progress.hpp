#pragma once

#include "pipeline/decide.hpp"

#include <optional>
#include <string>
#include <string_view>

// What the executor does to promotions. Pure, run inside the ledger's transaction: a step decided on what was true when it
// began is checked against what is true when it is written. errc::conflict: the promotion went another way meanwhile
// (superseded, cancelled, held), and the executor lets go of it.
namespace sluice::pipeline {

// Pending (or Running, after a restart) -> Running, if it is the newest of its environment that may go; an older one that
// was passed by ends Superseded here. A suspended or missing pipeline or environment: conflict, nothing changes.
// decision::what is `promote` when it goes on, and `record` when this step stopped it (Superseded, Denied, Held(evidence)).
[[nodiscard]] result<decision>
begin(const definition& pipeline, const pipeline_records& records, const promotion_id& id);
// Writes down what is about to be done outside, or was. While it is Running, PullRequestOpen,
// Merged, Deployed, DeployFailed or Cancelled.
[[nodiscard]] result<decision>
note_work(const pipeline_records& records, const promotion_id& id, const promotion_work& work);
// Running (or Closed, when someone reopened it) -> PullRequestOpen. Older ones whose pull request was open end Superseded:
// there is one live pull request per environment. One whose proof was withdrawn meanwhile keeps the reason `evidence`.
[[nodiscard]] result<decision> opened(
    const pipeline_records& records,
    const promotion_id& id,
    const promotion_work& work,
    std::string message
);
// A fact, from any state: also sets the environment's current revision while nothing was Deployed there and nothing newer is
// known, and ends older live ones as Superseded(newer).
[[nodiscard]] result<decision> merged(
    const pipeline_records& records,
    const promotion_id& id,
    const promotion_work& work,
    std::string message
);
// Any other end or stop of the executor's own: Notified, NoChange, Closed, Failed, Held(branch), Superseded. One whose proof was
// withdrawn meanwhile stays held for that instead of Failed or Held(branch).
[[nodiscard]] result<decision> ended(
    const pipeline_records& records,
    const promotion_id& id,
    promotion_state to,
    std::string_view reason,
    std::string message,
    const std::optional<promotion_work>& work = std::nullopt
);
// Stays in its state; told with the time of the next try.
[[nodiscard]] result<decision> retry_later(
    const pipeline_records& records,
    const promotion_id& id,
    std::string message,
    time_point retry_at,
    const promotion_work& work
);
// Pending or Running, and nothing is done for it now: it stays, and its message says why.
[[nodiscard]] result<decision>
paused(const pipeline_records& records, const promotion_id& id, std::string message);
// Failed -> where it was, because its Pipeline, Secret or base branch changed. Held(branch) too, when the branch is free again,
// and PullRequestOpen -> Running, when its pull request turned out to be merged with an older promotion's commit; -> Held(evidence)
// when its proof is withdrawn.
[[nodiscard]] result<decision>
reopened(const pipeline_records& records, const promotion_id& id, std::string because);
// A translated report (DESIGN): `id` was opened for a commit of the branch promotions write to. What runs in its
// from-environment is `deployed`, so that one is marked Deployed and its facts are carried on instead of the commit; without
// one the commit is recorded and goes nowhere.
[[nodiscard]] result<decision> translated(
    const definition& pipeline,
    const pipeline_records& records,
    const promotion_id& id,
    const std::optional<promotion>& deployed,
    time_point now
);

} // namespace sluice::pipeline
