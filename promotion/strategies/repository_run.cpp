#include "promotion/strategies/repository_run.hpp"

#include "base/failpoint.hpp"
#include "observe/log.hpp"
#include "promotion/at_once.hpp"
#include "promotion/strategies/look.hpp"
#include "promotion/strategies/plan.hpp"
#include "promotion/strategies/pull_request.hpp"
#include "promotion/strategies/push.hpp"
#include "promotion/strategies/settle.hpp"
#include "promotion/strategies/translate.hpp"
#include "promotion/text/pull_request_text.hpp"

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

namespace sluice::promotion {
namespace {

constexpr int most_rounds =
    5; // the base or a branch moved under us so often: something pushes all the time

std::vector<std::string> branches_of(const std::vector<job>& jobs) {
    std::set<std::string> all;
    for (const auto& j : jobs) {
        all.insert(j.to.branch);
        all.insert(j.branch);
    }
    return {all.begin(), all.end()};
}

void drop_done(std::vector<job>& jobs) {
    std::erase_if(jobs, [](const job& j) { return j.stage == stage::done; });
}

// Those of a branch that was refused with all of them, each by itself: only the one it was refused for fails.
std::vector<std::vector<job>> take_alone(std::vector<job>& jobs) {
    std::vector<std::vector<job>> taken;
    for (auto& j : jobs) {
        if (!std::exchange(j.alone, false)) continue;
        taken.emplace_back().push_back(j);
        j.stage = stage::done;
    }
    drop_done(jobs);
    return taken;
}

// A job whose branch another of the batch writes waits for the next run.
void drop_doubles(std::vector<job>& jobs) {
    std::set<std::string> taken;
    std::erase_if(jobs, [&](const job& j) {
        return j.t.push() == nullptr && !taken.insert(j.branch).second;
    });
}

void plan(git::repository& in, const tips& fetched, const git::author& by, std::vector<job>& jobs) {
    tips stacked;
    for (auto& j : jobs) {
        if (j.t.push() != nullptr) {
            plan_push(in, fetched, by, stacked, j);
        } else {
            plan_pull_request(in, fetched, by, j);
        }
    }
}

// Its Pipeline names another repository or branch than it did: what was done there is of no use here.
pipeline::promotion_work anew(const pipeline::promotion& p) {
    const auto& left = p.work.pull_request;
    if (left && left->state == pipeline::pull_request_state::open) {
        log::warn(
            "the pull request is left where it is, because the Pipeline names another place now; "
            "close it by hand",
            {{"promotion", p.id.text()}, {"url", left->url}}
        );
    }
    pipeline::promotion_work work;
    work.failures = p.work.failures;
    return work;
}

// All of a lane share one Secret. A forge asks more of it than git does.
destination login_from(const std::vector<task>& batch) {
    auto to = *destination_of(*batch.front().policy);
    for (const auto& t : batch) {
        if (to.type == pipeline::forge::git) to = *destination_of(*t.policy);
    }
    return to;
}

} // namespace

boost::asio::awaitable<void> repository_run::run(std::vector<task> batch) {
    const auto ns = batch.front().pipeline->name.ns;
    const auto to = login_from(batch);
    std::vector<task> to_carry;
    std::vector<task> to_look;
    for (auto& t : batch) (t.what == duty::carry ? to_carry : to_look).push_back(std::move(t));
    if (!to_carry.empty()) neighbours_ = keys_in(w_, to.url);

    to_carry = co_await translate(w_, std::move(to_carry));
    auto jobs = co_await begin(std::move(to_carry));
    failpoint("executor.after_begin");
    auto login = co_await w_.login_for(ns, to);
    if (!login) {
        co_await give_up(jobs, login.error());
        for (const auto& t : to_look) w_.remembered.failed_to_look(t.promotion.id);
        co_return;
    }
    git::remote remote;
    remote.url = to.url;
    remote.login = login->login;
    desk d{w_, std::move(remote)};
    co_await d.take();
    for (auto& j : jobs) {
        auto api = w_.pull_requests.of(j.t, *login);
        if (api) {
            j.forge = std::move(*api);
        } else {
            j.stage = stage::done;
            co_await w_.record.trouble(j.t, api.error(), j.work);
        }
    }
    drop_done(jobs);
    co_await carry(d, std::move(jobs));
    if (!to_look.empty() && !w_.stopping) {
        co_await look_after(w_, d, std::move(to_look), std::move(*login));
    }
}

boost::asio::awaitable<std::vector<job>> repository_run::begin(std::vector<task> tasks) {
    std::vector<job> jobs;
    auto start_one = [this, &jobs](task& t) { return start(t, jobs); };
    co_await at_once(tasks, start_one);
    // In the order in which they were proven, whatever order the ledger answered in.
    std::ranges::sort(jobs, {}, [](const job& j) {
        return std::tie(j.t.promotion.created_at, j.t.promotion.id);
    });
    drop_doubles(jobs);
    co_return jobs;
}

boost::asio::awaitable<void> repository_run::start(task t, std::vector<job>& into) {
    const auto begun = co_await w_.record.begin(t);
    if (!begun) co_return;
    auto j = make_job(std::move(t));
    if (tells_evidence(j)) {
        auto records = co_await w_.home.ledger.records(j.t.pipeline->name);
        if (!records) {
            co_await w_.record.trouble(j.t, records.error(), j.work);
            co_return;
        }
        j.records = std::move(*records);
    }
    into.push_back(std::move(j));
}

boost::asio::awaitable<void> repository_run::carry(desk& d, std::vector<job> jobs) {
    for (int round = 0; !jobs.empty() && !w_.stopping; ++round) {
        if (round == most_rounds) {
            co_await give_up(jobs, {errc::unavailable, "the branch moved again with every try"});
            co_return;
        }
        for (auto& j : jobs) j.stage = stage::on_its_way;
        co_await attempt(d, jobs);
        drop_done(jobs);
        for (auto& one : take_alone(jobs)) co_await carry(d, std::move(one));
    }
}

boost::asio::awaitable<void> repository_run::attempt(desk& d, std::vector<job>& jobs) {
    auto fetched = co_await d.fetch(branches_of(jobs));
    if (!fetched) {
        co_await give_up(jobs, fetched.error());
        co_return;
    }
    for (const auto& j : jobs) {
        const auto base = fetched->find(j.to.branch);
        if (base != fetched->end()) w_.remembered.tried[j.t.promotion.id].base = base->second;
    }
    failpoint("executor.after_fetch");
    auto work = [this, &fetched, &jobs](git::repository& in) {
        plan(in, *fetched, w_.author, jobs);
    };
    co_await d.use(std::move(work));
    failpoint("executor.after_patch");
    auto look_back_one = [](job& j) { return look_back(j); };
    co_await at_once(jobs, look_back_one);
    // Before it is recorded: after a kill in between the merge is found again, the branch of a Merged one never.
    for (const auto& j : jobs) co_await d.remove(j.branch, j.leftover);
    auto settle_one = [this](job& j) { return settle(w_, j); };
    co_await at_once(jobs, settle_one);
    restack(jobs);
    failpoint("executor.after_note_work");
    for (auto& j : jobs) {
        if (j.stage == stage::on_its_way && j.t.pull_request() != nullptr) {
            co_await make_room(w_, j);
        }
    }
    failpoint("executor.before_push");
    co_await push_all(w_, d, jobs);
    failpoint("executor.after_push");
    co_await finish(d, jobs);
}

boost::asio::awaitable<void> repository_run::finish(desk& d, std::vector<job>& jobs) {
    std::vector<job*> plain;
    std::vector<job*> with_forge;
    for (auto& j : jobs) {
        if (j.stage == stage::on_its_way) (j.forge ? with_forge : plain).push_back(&j);
    }
    auto finish_one = [this, &d](job* j) {
        return j->t.push() != nullptr ? record_push(w_, *j) : open_pull_request(w_, d, *j);
    };
    co_await at_once(plain, finish_one);
    // One after the other: forges ask for that where content is made.
    for (auto* j : with_forge) co_await open_pull_request(w_, d, *j);
}

boost::asio::awaitable<void> repository_run::give_up(std::vector<job>& jobs, error e) {
    auto tell = [this, &e](job& j) { return w_.record.trouble(j.t, e, j.work); };
    co_await at_once(jobs, tell);
    jobs.clear();
}

job repository_run::make_job(task t) const {
    job j;
    j.to = *destination_of(*t.policy);
    if (!is_here(t.promotion.work, j.to)) t.promotion.work = anew(t.promotion);
    j.work = t.promotion.work;
    j.siblings = siblings_of(t.promotion);
    for (const auto& s : j.siblings) {
        if (!s.work.commit.empty()) j.ours.insert(s.work.commit);
    }
    if (!j.work.commit.empty()) j.ours.insert(j.work.commit);
    j.t = std::move(t);
    j.branch = branch_of(j);
    j.read_by_people = j.to.type != pipeline::forge::git;
    return j;
}

std::string repository_run::branch_of(const job& j) const {
    if (j.t.push() != nullptr) return j.to.branch;
    // What is open keeps its branch, also when a pipeline that would share its name came later.
    const auto is_it = [&](const pipeline::promotion_work& work) {
        return !work.branch.empty() && work.branch != j.to.branch && is_here(work, j.to);
    };
    if (is_it(j.work)) return j.work.branch;
    for (const auto& s : j.siblings) {
        if (is_it(s.work)) return s.work.branch;
    }
    return text::branch_name(key_of(j.t.promotion.id), neighbours_);
}

std::vector<pipeline::promotion> repository_run::siblings_of(const pipeline::promotion& p) const {
    std::vector<pipeline::promotion> found;
    for (const auto& other : *live_) {
        const bool same_place =
            other.id.pipeline == p.id.pipeline && other.id.environment == p.id.environment;
        if (same_place && other.id != p.id) found.push_back(other);
    }
    return found;
}

} // namespace sluice::promotion
