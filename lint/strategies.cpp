#include "lint/strategies.hpp"

#include "promotion/manifest/field.hpp"

#include <fmt/format.h>

namespace sluice::lint {

std::vector<placed_policy> policies_of(const known_pipeline& p) {
    std::vector<placed_policy> found;
    const auto& d = p.definition;
    if (d.promotion) found.push_back({*d.promotion, "/spec/promotion"});
    for (std::size_t i = 0; i < d.environments.size(); ++i) {
        if (const auto& own = d.environments[i].promotion)
            found.push_back({*own, fmt::format("/spec/environments/{}/promotion", i)});
    }
    return found;
}

std::optional<written_repository> repository_of(const placed_policy& p) {
    const auto& how = p.policy.strategy.how;
    if (const auto* pr = std::get_if<pipeline::pull_request_strategy>(&how)) {
        return written_repository{
            pr->type, pr->url, pr->secret, pr->manifests, p.pointer + "/strategy/pull-request"
        };
    }
    if (const auto* push = std::get_if<pipeline::push_strategy>(&how)) {
        return written_repository{
            pipeline::forge::git,
            push->url,
            push->secret,
            push->manifests,
            p.pointer + "/strategy/push"
        };
    }
    return std::nullopt;
}

void check_strategy(const known_pipeline& p, const placed_policy& policy, findings& out) {
    const auto repository = repository_of(policy);
    if (!repository) return;
    if (repository->url.starts_with("http://")) {
        out.warning(
            p.from,
            repository->pointer + "/url",
            "the repository's credentials travel over plain http://",
            "use https://"
        );
    }
    for (std::size_t i = 0; i < repository->manifests.size(); ++i) {
        const auto fine = promotion::check_field(repository->manifests[i].field);
        if (fine) continue;
        out.error(
            p.from,
            fmt::format("{}/manifests/{}/field", repository->pointer, i),
            fine.error().message,
            "write keys joined by dots, for example spec.chart.spec.version or images[0].newTag"
        );
    }
}

} // namespace sluice::lint
