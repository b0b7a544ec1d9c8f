#include "promotion/strategies/task.hpp"

#include <fmt/format.h>

namespace sluice::promotion {
namespace {

// Both spellings of a repository's address are in use.
std::string_view without_ending(std::string_view url) {
    constexpr std::string_view ending = ".git";
    while (url.ends_with('/')) url.remove_suffix(1);
    if (url.ends_with(ending)) url.remove_suffix(ending.size());
    return url;
}

} // namespace

const pipeline::pull_request_strategy* task::pull_request() const {
    return std::get_if<pipeline::pull_request_strategy>(&policy->strategy.how);
}

const pipeline::push_strategy* task::push() const {
    return std::get_if<pipeline::push_strategy>(&policy->strategy.how);
}

std::optional<destination> destination_of(const pipeline::promotion_policy& policy) {
    const auto& how = policy.strategy.how;
    if (const auto* pr = std::get_if<pipeline::pull_request_strategy>(&how)) {
        return destination{
            pr->url, pr->base_branch, pr->secret, pr->type, pr->api_url, pr->manifests
        };
    }
    if (const auto* push = std::get_if<pipeline::push_strategy>(&how)) {
        return destination{
            push->url, push->branch, push->secret, pipeline::forge::git, {}, push->manifests
        };
    }
    return std::nullopt;
}

bool in_same_repository(const pipeline::promotion_work& work, const destination& to) {
    return without_ending(work.repository) == without_ending(without_login(to.url));
}

bool is_here(const pipeline::promotion_work& work, const destination& to) {
    return in_same_repository(work, to) && work.base_branch == to.branch;
}

result<task> make_task(pipeline::promotion p, pipeline::definition_ptr pipeline) {
    if (!pipeline) {
        return error(
            errc::not_found,
            fmt::format(
                "Pipeline {} is gone or broken; its promotions wait until it is back",
                p.id.pipeline.text()
            )
        );
    }
    task t;
    t.into = pipeline->find(p.id.environment);
    if (t.into == nullptr) {
        return error(
            errc::not_found,
            fmt::format(
                "Pipeline {} has no environment {} any more; cancel the promotion or put it back",
                p.id.pipeline.text(),
                p.id.environment
            )
        );
    }
    t.policy = pipeline->policy_into(*t.into);
    if (t.policy == nullptr) {
        return error(
            errc::not_found,
            fmt::format(
                "Pipeline {} has no promotion block for {} any more; cancel the promotion or put "
                "it back",
                p.id.pipeline.text(),
                p.id.environment
            )
        );
    }
    t.promotion = std::move(p);
    t.pipeline = std::move(pipeline);
    return t;
}

std::string lane_of(const task& t) {
    const auto to = destination_of(*t.policy);
    if (!to) return "notification";
    return fmt::format("{}\n{}/{}", to->url, t.pipeline->name.ns, to->secret);
}

std::string without_login(std::string url) {
    const auto host = url.find("://");
    if (host == std::string::npos) return url;
    const auto path = url.find('/', host + 3);
    const auto at = url.rfind('@', path);
    if (at != std::string::npos && at > host) url.erase(host + 3, at - host - 2);
    return url;
}

} // namespace sluice::promotion
