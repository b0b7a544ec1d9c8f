#include "observe/log.hpp"
#include "promotion/strategies/look.hpp"
#include "promotion/strategies/merging.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion {
namespace {

using pipeline::pull_request_state;

// Open or merged; nothing when it was closed, or never made.
boost::asio::awaitable<result<std::optional<forge::view>>>
still_open(forge::api& forge, const pipeline::promotion& p) {
    using found = result<std::optional<forge::view>>;
    if (!p.work.pull_request) {
        // It may have ended between making the pull request and writing that down.
        auto open = co_await forge.find_open(p.work.branch, p.work.base_branch);
        co_return open;
    }
    auto seen = co_await forge.get(p.work.pull_request->number);
    if (!seen) co_return seen.error();
    if (seen->is.state == pull_request_state::closed) co_return std::optional<forge::view>{};
    co_return found{std::optional{std::move(*seen)}};
}

std::string farewell(const pipeline::promotion& p) {
    return fmt::format(
        "Closed by Sluice: the promotion {} is {}. {}", p.id.text(), to_string(p.state), p.message
    );
}

// Whoever has the login of the repository the Pipeline names now may close nothing in another.
void leave_behind(const workshop& w, const pipeline::promotion& p) {
    w.remembered.ended.erase(p.id);
    if (!w.remembered.left_behind.insert(p.id).second) return;
    log::warn(
        "an ended promotion left something in a repository that its Pipeline does not name any "
        "more; close it by hand",
        {{"promotion", p.id.text()},
         {"repository", p.work.repository},
         {"branch", p.work.branch},
         {"url", p.work.pull_request ? p.work.pull_request->url : std::string{}}}
    );
}

} // namespace

boost::asio::awaitable<void>
tidy(const workshop& w, desk& d, task t, std::shared_ptr<forge::api> forge) {
    const auto& p = t.promotion;
    if (!in_same_repository(p.work, *destination_of(*t.policy))) {
        leave_behind(w, p);
        co_return;
    }
    const auto others = co_await others_into(w, t);
    if (!others) {
        cannot_see(w, t, others.error());
        co_return;
    }
    const auto has_the_branch_now = [&](const pipeline::promotion& o) {
        // One that failed may be older by age and yet come after this one.
        const bool came_after = o.created_at > p.created_at || !has_ended(o.state);
        return o.id != p.id && o.work.branch == p.work.branch && came_after;
    };
    if (std::ranges::any_of(*others, has_the_branch_now)) {
        w.remembered.ended.erase(p.id);
        co_return;
    }
    std::string head = p.work.commit;
    if (forge) {
        auto open = co_await still_open(*forge, p);
        if (!open) {
            cannot_see(w, t, open.error());
            co_return;
        }
        if (*open && (*open)->is.state == pull_request_state::merged) {
            w.remembered.ended.erase(p.id);
            co_await was_merged(w, d, std::move(t), std::move(**open));
            co_return;
        }
        if (*open) {
            head = (*open)->is.head == p.work.commit ? p.work.commit : std::string{};
            const auto closed = co_await forge->close(**open, farewell(p));
            if (!closed) {
                cannot_see(w, t, closed.error());
                co_return;
            }
            log::info(
                "pull request closed", {{"promotion", p.id.text()}, {"url", (*open)->is.url}}
            );
        }
    }
    co_await d.remove(p.work.branch, head);
    if (forge && p.work.pull_request) {
        auto work = p.work;
        work.pull_request->state = pull_request_state::closed;
        // Last, so that a restart tidies it again until then. Only a cancelled one; the others are remembered.
        (void)co_await w.record.note(t, std::move(work));
    }
    w.remembered.ended.erase(p.id);
}

} // namespace sluice::promotion
