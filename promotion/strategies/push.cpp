#include "promotion/strategies/push.hpp"

#include "promotion/strategies/remarks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace sluice::promotion {
namespace {

bool goes(const job& j) {
    return j.stage == stage::on_its_way && j.found == finding::to_push;
}

std::vector<git::ref_update> updates_of(const std::vector<job>& jobs) {
    std::map<std::string, git::ref_update> by_branch;
    for (const auto& j : jobs) {
        if (!goes(j)) continue;
        auto& update = by_branch[j.branch]; // of stacked commits the last one counts
        update.branch = j.branch;
        update.expected = j.tip;
        update.target = j.work.commit;
    }
    std::vector<git::ref_update> updates;
    updates.reserve(by_branch.size());
    for (auto& [branch, update] : by_branch) updates.push_back(std::move(update));
    return updates;
}

// Somebody else is writing the same ref at this moment, as git servers put it.
bool is_contended(const git::ref_outcome& o) {
    const auto says = [&](std::string_view text) {
        return o.message.find(text) != std::string::npos;
    };
    return says(".lock") || says("lock ref") || says("failed to update ref");
}

// `several`: commits stand on each other on that branch, so that what was refused may be another's fault.
boost::asio::awaitable<void>
use_outcome(const workshop& w, job& j, git::ref_outcome o, bool several) {
    if (o.result == git::ref_result::done) co_return;
    const bool moved = o.result == git::ref_result::moved || is_contended(o);
    if (moved || several) {
        j.stage = stage::again;
        j.alone = !moved;
        co_return;
    }
    j.stage = stage::done;
    if (o.result == git::ref_result::later) {
        error unwell{
            errc::unavailable,
            fmt::format(
                "{} could not take branch {} now: {}", without_login(j.to.url), j.branch, o.message
            )
        };
        co_await w.record.trouble(j.t, std::move(unwell), j.work);
        co_return;
    }
    error refused{
        errc::unprocessable,
        fmt::format(
            "{} refused branch {}: {}; allow the promotion's user to push it, or change what the "
            "server checks",
            without_login(j.to.url),
            j.branch,
            o.message.empty() ? "no reason was given" : o.message
        )
    };
    co_await w.record.trouble(j.t, std::move(refused), j.work);
}

boost::asio::awaitable<void>
stumble(const workshop& w, std::vector<job>& jobs, std::string branch, error e) {
    for (auto& j : jobs) {
        if (!goes(j) || j.branch != branch) continue;
        j.stage = stage::done;
        co_await w.record.trouble(j.t, e, j.work);
    }
}

boost::asio::awaitable<void>
use_outcomes(const workshop& w, std::vector<job>& jobs, std::vector<git::ref_outcome> outcomes) {
    for (const auto& o : outcomes) {
        const auto is_meant = [&](const job& j) { return goes(j) && j.branch == o.branch; };
        const bool several = std::ranges::count_if(jobs, is_meant) > 1;
        for (auto& j : jobs) {
            if (is_meant(j)) co_await use_outcome(w, j, o, several);
        }
    }
}

} // namespace

void restack(std::vector<job>& jobs) {
    std::set<std::string> broken;
    for (auto& j : jobs) {
        if (j.t.push() == nullptr || j.found != finding::to_push) continue;
        if (j.stage == stage::done) {
            broken.insert(j.branch);
        } else if (broken.contains(j.branch)) {
            j.stage = stage::again;
        }
    }
}

boost::asio::awaitable<void> push_all(const workshop& w, desk& d, std::vector<job>& jobs) {
    const auto updates = updates_of(jobs);
    if (updates.empty()) co_return;
    auto outcomes = co_await d.push(updates);
    if (outcomes) {
        co_await use_outcomes(w, jobs, std::move(*outcomes));
        co_return;
    }
    for (const auto& update : updates) {
        co_await stumble(w, jobs, update.branch, outcomes.error());
    }
}

boost::asio::awaitable<void> record_push(const workshop& w, job& j) {
    j.stage = stage::done;
    auto message = fmt::format(
        "commit {} is on branch {} of {}{}",
        j.work.commit.substr(0, 12),
        j.branch,
        j.work.repository,
        remarks_of(j)
    );
    (void)co_await w.record.merged(j.t.promotion, j.work, std::move(message));
}

} // namespace sluice::promotion
