#include "promotion/strategies/merging.hpp"

#include "observe/log.hpp"
#include "pipeline/withdraw.hpp"
#include "promotion/backoff.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion {
namespace {

using pipeline::promotion_state;
using pipeline::pull_request_state;

constexpr std::string_view not_by_itself = "; not merged by itself: ";

boost::asio::awaitable<void> tell_refusal(const workshop& w, task t, std::string refusal) {
    const auto& before = t.promotion.message;
    auto message = with_refusal(before, refusal);
    if (message == before) co_return;
    auto work = t.promotion.work;
    (void)co_await w.record.opened(std::move(t), std::move(work), std::move(message));
}

boost::asio::awaitable<void> was_refused(const workshop& w, task t, error e) {
    log::warn(
        "the pull request is not merged; it is asked for again later",
        {{"promotion", t.promotion.id.text()}, {"error", e.message}}
    );
    // A head that moved is seen by the next look.
    if (is_transient(e.code) || e.code == errc::conflict) co_return;
    co_await tell_refusal(w, std::move(t), std::move(e.message));
}

} // namespace

const pipeline::promotion& carried_by(
    const std::string& head,
    const pipeline::promotion& asked,
    const std::vector<pipeline::promotion>& others
) {
    if (asked.work.commit == head || head.empty()) return asked;
    const auto found = std::ranges::find_if(others, [&](const auto& o) {
        return !o.work.commit.empty() && o.work.commit == head;
    });
    return found == others.end() ? asked : *found;
}

boost::asio::awaitable<void> settle_merge(
    const workshop& w,
    pipeline::promotion asked,
    std::vector<pipeline::promotion> others,
    forge::view seen
) {
    const auto whose = carried_by(seen.is.head, asked, others);
    auto work = whose.work;
    work.pull_request = seen.is;
    const auto message = fmt::format("{} is merged", seen.is.url);
    // A conflict means that it is known already.
    (void)co_await w.record.merged(whose, work, message);
}

boost::asio::awaitable<void> was_merged(const workshop& w, desk& d, task t, forge::view seen) {
    auto others = co_await others_into(w, t);
    if (!others) {
        cannot_see(w, t, others.error());
        co_return;
    }
    const auto& p = t.promotion;
    const bool it_was_us = carried_by(seen.is.head, p, *others).id == p.id;
    // Before it is recorded: after a kill in between the merge is seen again, a branch of a Merged one never.
    if (it_was_us) {
        const auto head = seen.is.head.empty() ? p.work.commit : seen.is.head;
        co_await d.remove(p.work.branch, head);
    }
    if (has_arrived(p.state)) {
        auto work = p.work;
        work.pull_request = seen.is;
        w.remembered.ended.erase(p.id);
        (void)co_await w.record.note(t, std::move(work));
        co_return;
    }
    co_await settle_merge(w, p, std::move(*others), seen);
    if (!it_was_us && p.state == promotion_state::pull_request_open) {
        (void)co_await w.record.reopened(t, "its pull request was merged with an older commit");
    }
}

boost::asio::awaitable<void> merge_if_ready(
    const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge, forge::view seen
) {
    const auto& how = t.pull_request()->auto_merge;
    const auto& p = t.promotion;
    if (!how || p.state != promotion_state::pull_request_open) co_return;
    if (pipeline::is_withdrawn(pipeline::attempt_of(p))) {
        // Also what is not known to be armed: Gitea does not tell.
        const auto disarmed = co_await forge->disarm(seen);
        if (!disarmed) cannot_see(w, t, disarmed.error());
        co_return;
    }
    // A person works on it, or it goes into another branch than the Pipeline names now: a person merges it.
    const bool ours = seen.is.head == p.work.commit && is_here(p.work, *destination_of(*t.policy));
    if (seen.armed || !ours) co_return;
    const auto asked = co_await forge->merge_when_ready(seen, *how);
    if (!asked) {
        co_await was_refused(w, std::move(t), asked.error());
    } else if (*asked == forge::auto_merge::merged) {
        seen.is.state = pull_request_state::merged;
        co_await was_merged(w, d, std::move(t), std::move(seen));
    } else {
        co_await tell_refusal(w, std::move(t), {});
    }
}

std::string with_refusal(std::string message, std::string_view refusal) {
    const auto before = message.find(not_by_itself);
    if (before != std::string::npos) message.erase(before);
    if (!refusal.empty()) message.append(not_by_itself).append(refusal);
    return message;
}

bool has_arrived(promotion_state state) noexcept {
    return state == promotion_state::deployed || state == promotion_state::deploy_failed;
}

boost::asio::awaitable<result<std::vector<pipeline::promotion>>>
others_into(const workshop& w, task t) {
    home::promotion_filter filter;
    filter.ns = t.pipeline->name.ns;
    filter.pipeline = t.pipeline->name.name;
    filter.environment = t.into->name;
    filter.limit = 100;
    return w.home.ledger.list(std::move(filter));
}

void cannot_see(const workshop& w, const task& t, const error& e) {
    w.remembered.failed_to_look(t.promotion.id);
    log::warn(
        "cannot see what became of the pull request; it is looked at again later",
        {{"promotion", t.promotion.id.text()}, {"error", e.message}}
    );
}

} // namespace sluice::promotion
