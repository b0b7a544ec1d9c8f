#pragma once

#include "pipeline/draft.hpp"

// What a report says about the promotions into the very environment it comes from. Facts, so recorded from any state.
namespace sluice::pipeline {

// Healthy in all targets that must be: the environment runs it now, its promotion is Deployed, older ones are over.
void note_deployed(draft& d);

// The same for a promotion that is known to be what runs here.
void note_deployed(draft& d, const promotion_id& which, promotion_state state);

// Failed in a target that counts: the promotion that wrote this revision is DeployFailed.
void note_deploy_failed(draft& d);

} // namespace sluice::pipeline
