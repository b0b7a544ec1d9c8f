#include "promotion/strategies/translate.hpp"

#include "observe/log.hpp"
#include "pipeline/version.hpp"
#include "promotion/strategies/plan.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace sluice::promotion {
namespace {

constexpr std::size_t looked_back = 100; // promotions into an environment, newest first

struct source {
    destination from;
    std::string ns;
    std::vector<job*> jobs;
};

using source_key = std::tuple<std::string, std::string, std::string, std::string>;

std::vector<source> sources_of(std::vector<job>& jobs) {
    std::map<source_key, source> grouped;
    for (auto& j : jobs) {
        const auto from = reported_from(j.t);
        if (!from) continue;
        const auto& ns = j.t.pipeline->name.ns;
        auto& s = grouped[{from->url, ns, from->secret, from->branch}];
        s.from = *from;
        s.ns = ns;
        s.jobs.push_back(&j);
    }
    std::vector<source> all;
    all.reserve(grouped.size());
    for (auto& [key, s] : grouped) all.push_back(std::move(s));
    return all;
}

// On a git thread: the newest of `known` that the manifests name at that commit.
result<std::optional<pipeline::promotion>> deployed_at(
    git::repository& in,
    const std::string& commit,
    const std::vector<pipeline::promotion>& known,
    std::span<const pipeline::manifest_field> fields
) {
    for (const auto& p : known) {
        const auto there = in.says(commit, key_of(p.id), p.facts, fields);
        if (!there) return there.error();
        if (*there) return std::optional{p};
    }
    return std::optional<pipeline::promotion>{};
}

boost::asio::awaitable<void>
translate_one(const workshop& w, desk& d, job& j, std::string base, destination from) {
    const auto commit = parse_git_revision(j.t.promotion.facts.revision)->commit;
    auto contains = [base, commit](git::repository& in) { return in.contains(base, commit); };
    const auto ours = co_await d.use(std::move(contains));
    if (ours && !*ours) co_return; // a commit of some other repository: promoted as it is

    home::promotion_filter filter;
    filter.ns = j.t.pipeline->name.ns;
    filter.pipeline = j.t.pipeline->name.name;
    filter.environment = j.t.promotion.from_environment;
    filter.limit = looked_back;
    const auto known = co_await w.home.ledger.list(std::move(filter));
    j.stage = stage::done;
    if (!ours || !known) {
        co_await w.record.trouble(j.t, ours ? known.error() : ours.error(), j.work);
        co_return;
    }
    auto search = [commit, &known, fields = from.fields](git::repository& in) {
        return deployed_at(in, commit, *known, fields);
    };
    auto deployed = co_await d.use(std::move(search));
    if (!deployed) {
        co_await w.record.trouble(j.t, deployed.error(), j.work);
        co_return;
    }
    (void)co_await w.record.translated(j.t, std::move(*deployed));
}

boost::asio::awaitable<void> give_up(const workshop& w, const source& s, error e) {
    for (auto* j : s.jobs) {
        j->stage = stage::done;
        co_await w.record.trouble(j->t, e, j->work);
    }
}

boost::asio::awaitable<void> translate_from(const workshop& w, source s) {
    auto login = co_await w.login_for(s.ns, s.from);
    if (!login) {
        co_await give_up(w, s, login.error());
        co_return;
    }
    git::remote remote;
    remote.url = s.from.url;
    remote.login = std::move(login->login);
    desk d{w, std::move(remote)};
    co_await d.take();
    auto fetched = co_await d.fetch({s.from.branch});
    if (!fetched) {
        co_await give_up(w, s, fetched.error());
        co_return;
    }
    const auto base = fetched->find(s.from.branch);
    if (base == fetched->end()) co_return;
    for (auto* j : s.jobs) co_await translate_one(w, d, *j, base->second, s.from);
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

std::optional<destination> reported_from(const task& t) {
    const auto revision = parse_git_revision(t.promotion.facts.revision);
    if (!revision || t.promotion.from_environment.empty()) return std::nullopt;
    const auto* from = t.pipeline->find(t.promotion.from_environment);
    const auto* policy = from == nullptr ? nullptr : t.pipeline->policy_into(*from);
    auto to = destination_of(policy == nullptr ? *t.policy : *policy);
    if (!to || to->branch != revision->branch) return std::nullopt;
    return to;
}

boost::asio::awaitable<void> translate(const workshop& w, std::vector<job>& jobs) {
    for (auto& s : sources_of(jobs)) co_await translate_from(w, s);
}

} // namespace sluice::promotion
