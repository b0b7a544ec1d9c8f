#pragma once

#include "lint/workspace.hpp"

#include <string>
#include <vector>

namespace sluice::lint {

// A promotion block and where it stands.
struct placed_policy {
    const pipeline::promotion_policy& policy;
    std::string pointer; // "/spec/promotion" or "/spec/environments/1/promotion"
};
[[nodiscard]] std::vector<placed_policy> policies_of(const known_pipeline& p);

// What the strategies that write to git have in common.
struct written_repository {
    pipeline::forge type = pipeline::forge::git;
    const std::string& url;
    const std::string& secret;
    const std::vector<pipeline::manifest_field>& manifests;
    std::string pointer; // "…/strategy/push"
};
// Nothing for a strategy that writes nothing.
[[nodiscard]] std::optional<written_repository> repository_of(const placed_policy& p);

// Repository and manifests of a strategy.
void check_strategy(const known_pipeline& p, const placed_policy& policy, findings& out);
// The Secret that logs in to git and to the forge.
void check_credentials(
    const workspace& w, const known_pipeline& p, const placed_policy& policy, findings& out
);

} // namespace sluice::lint
