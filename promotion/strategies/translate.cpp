#include "promotion/strategies/translate.hpp"

#include "pipeline/commit_report.hpp"
#include "promotion/strategies/plan.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace sluice::promotion {
namespace {

constexpr std::size_t looked_back = 100; // promotions into an environment, newest first

struct source {
    destination from;
    std::string ns;
    std::vector<task> tasks;
};

using source_key = std::tuple<std::string, std::string, std::string, std::string>;

// Where the environment that proved it may be deployed from; nothing when its report cannot be about that branch.
std::optional<destination> source_of(const task& t) {
    const auto& p = t.promotion;
    const auto* policy = pipeline::reported_from(*t.pipeline, p.from_environment, p.facts);
    return policy == nullptr ? std::nullopt : destination_of(*policy);
}

std::vector<source> sources_of(const std::vector<task>& tasks) {
    std::map<source_key, source> grouped;
    for (const auto& t : tasks) {
        const auto from = source_of(t);
        if (!from) continue;
        const auto& ns = t.pipeline->name.ns;
        auto& s = grouped[{from->url, ns, from->secret, from->branch}];
        s.from = *from;
        s.ns = ns;
        s.tasks.push_back(t);
    }
    std::vector<source> all;
    all.reserve(grouped.size());
    for (auto& [key, s] : grouped) all.push_back(std::move(s));
    return all;
}

// What was never begun has not failed: reopening it would pass by the approval it may still have to ask for.
boost::asio::awaitable<void> stumble(const workshop& w, task t, error e) {
    const bool not_begun = pipeline::is_looked_up(pipeline::attempt_of(t.promotion));
    if (not_begun && !is_transient(e.code)) e.code = errc::unavailable;
    co_await w.record.trouble(t, std::move(e), t.promotion.work);
}

// On a git thread: the newest of `known`, all into one environment, that the manifests name at that commit.
result<std::optional<pipeline::promotion>> deployed_at(
    git::repository& in,
    const std::string& commit,
    const std::vector<pipeline::promotion>& known,
    std::span<const pipeline::manifest_field> fields
) {
    std::optional<pipeline::promotion> newest;
    if (known.empty()) return newest;
    const auto places = in.places(commit, key_of(known.front().id), fields);
    // The manifests of that commit are not what the Pipeline says now: they name nobody.
    if (!places && places.error().code == errc::unprocessable) return newest;
    if (!places) return places.error();
    const auto is_named = [&](const pipeline::promotion& p) { return all_say(*places, p.facts); };
    const auto found = std::ranges::find_if(known, is_named);
    if (found != known.end()) newest = *found;
    return newest;
}

// True: settled.
boost::asio::awaitable<bool> translate_one(const workshop& w, desk& d, task t, std::string base) {
    const auto fields = source_of(t)->fields;
    const auto commit = pipeline::parse_git_revision(t.promotion.facts.revision)->commit;
    auto contains = [base, commit](git::repository& in) { return in.contains(base, commit); };
    const auto ours = co_await d.use(std::move(contains));
    if (ours && !*ours) co_return false; // a commit of some other repository: promoted as it is

    home::promotion_filter filter;
    filter.ns = t.pipeline->name.ns;
    filter.pipeline = t.pipeline->name.name;
    filter.environment = t.promotion.from_environment;
    filter.limit = looked_back;
    const auto known = co_await w.home.ledger.list(std::move(filter));
    if (!ours || !known) {
        co_await stumble(w, std::move(t), ours ? known.error() : ours.error());
        co_return true;
    }
    auto search = [commit, &known, fields](git::repository& in) {
        return deployed_at(in, commit, *known, fields);
    };
    auto deployed = co_await d.use(std::move(search));
    if (deployed) {
        (void)co_await w.record.translated(std::move(t), std::move(*deployed));
    } else {
        co_await stumble(w, std::move(t), deployed.error());
    }
    co_return true;
}

boost::asio::awaitable<void>
give_up(const workshop& w, source s, error e, std::set<pipeline::promotion_id>& settled) {
    for (const auto& t : s.tasks) {
        settled.insert(t.promotion.id);
        co_await stumble(w, t, e);
    }
}

boost::asio::awaitable<void>
translate_from(const workshop& w, source s, std::set<pipeline::promotion_id>& settled) {
    auto login = co_await w.login_for(s.ns, s.from);
    if (!login) {
        co_await give_up(w, std::move(s), login.error(), settled);
        co_return;
    }
    git::remote remote;
    remote.url = s.from.url;
    remote.login = std::move(login->login);
    desk d{w, std::move(remote)};
    co_await d.take();
    std::vector<std::string> wanted;
    wanted.push_back(s.from.branch); // g++ 12 takes no list in braces beside co_await
    auto fetched = co_await d.fetch(std::move(wanted));
    if (!fetched) {
        co_await give_up(w, std::move(s), fetched.error(), settled);
        co_return;
    }
    const auto base = fetched->find(s.from.branch);
    if (base == fetched->end()) co_return;
    for (const auto& t : s.tasks) {
        const bool done = co_await translate_one(w, d, t, base->second);
        if (done) settled.insert(t.promotion.id);
    }
}

} // namespace

boost::asio::awaitable<std::vector<task>> translate(const workshop& w, std::vector<task> tasks) {
    std::ranges::sort(tasks, {}, [](const task& t) { // the last report has the last word
        return std::tie(t.promotion.created_at, t.promotion.id);
    });
    std::set<pipeline::promotion_id> settled;
    for (auto& s : sources_of(tasks)) co_await translate_from(w, s, settled);
    std::erase_if(tasks, [&](const task& t) { return settled.contains(t.promotion.id); });
    co_return tasks;
}

} // namespace sluice::promotion
