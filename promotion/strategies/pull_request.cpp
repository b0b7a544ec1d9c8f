#include "promotion/strategies/pull_request.hpp"

#include "base/failpoint.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sluice::promotion {
namespace {

using pipeline::promotion_state;
using pipeline::pull_request_state;

boost::asio::awaitable<void> stumble(const workshop& w, job& j, error e) {
    j.stage = stage::done;
    co_await w.record.trouble(j.t, std::move(e), j.work);
}

bool is_own(const job& j, const forge::view& v) {
    const auto& before = j.t.promotion.work;
    if (before.pull_request && before.pull_request->number == v.is.number) return true;
    return v.is.head == j.work.commit || (!before.commit.empty() && v.is.head == before.commit);
}

std::string took_over(const job& j) {
    return fmt::format("{} is newer and took its place", j.t.promotion.id.text());
}

boost::asio::awaitable<void> supersede(const workshop& w, job& j) {
    for (const auto& o : j.older) {
        // A conflict means that it ended by itself, which is as good.
        (void)co_await w.record.ended(o, promotion_state::superseded, "newer", took_over(j));
    }
}

// True: go on. An older one that is not open any more is recorded as what became of it.
boost::asio::awaitable<bool>
read_again(const workshop& w, job& j, const std::optional<forge::view>& open) {
    bool merged = false;
    for (const auto& o : j.older) {
        const auto& before = o.work.pull_request;
        if (!before || (open && open->is.number == before->number)) continue;
        const auto seen = co_await j.forge->get(before->number);
        if (!seen) {
            co_await stumble(w, j, seen.error());
            co_return false;
        }
        if (seen->is.state == pull_request_state::merged) {
            (void)co_await settle_merge(w, o, j.siblings, *seen);
            merged = true;
        } else if (seen->is.state == pull_request_state::closed) {
            const auto message = fmt::format("{} was closed without a merge", seen->is.url);
            (void)co_await w.record.ended(o, promotion_state::closed, "closed", message);
        } else {
            continue;
        }
        std::erase_if(j.siblings, [&](const auto& s) { return s.id == o.id; });
    }
    if (merged) j.stage = stage::again;
    co_return !merged;
}

boost::asio::awaitable<void> clear_the_way(const workshop& w, job& j) {
    const auto* strategy = j.t.pull_request();
    if (strategy->on_newer == pipeline::on_newer::replace && !is_own(j, *j.open)) {
        co_await supersede(w, j);
        const auto comment = fmt::format(
            "Closed by Sluice: {} goes into {} instead, in a pull request of its own.",
            j.t.promotion.id.revision,
            j.t.promotion.id.environment
        );
        const auto closed = co_await j.forge->close(*j.open, comment);
        if (!closed) {
            co_await stumble(w, j, closed.error());
            co_return;
        }
        j.open.reset();
        co_return;
    }
    const auto disarmed = co_await j.forge->disarm(*j.open);
    if (!disarmed) co_await stumble(w, j, disarmed.error());
}

// What a person reads of it in `sluice status`.
std::string opened_text(const job& j, const std::vector<std::string>& ignored) {
    auto text = fmt::format("the pull request is open: {}", j.work.pull_request->url);
    if (!ignored.empty()) text += fmt::format("; ignored: {}", fmt::join(ignored, ", "));
    return text;
}

std::string pushed_text(const job& j) {
    return fmt::format(
        "branch {} is pushed to {}; merge it into {}", j.branch, j.work.repository, j.to.branch
    );
}

boost::asio::awaitable<std::vector<std::string>> decorate(job& j, forge::view v) {
    const auto* strategy = j.t.pull_request();
    std::vector<std::string> ignored;
    if (strategy->labels.empty() && strategy->reviewers.empty()) co_return ignored;
    auto told = co_await j.forge->decorate(std::move(v), strategy->labels, strategy->reviewers);
    if (told) co_return std::move(*told);
    // The pull request is there: labels are not worth failing for, and a person reads why they are missing.
    ignored.push_back(told.error().message);
    co_return ignored;
}

boost::asio::awaitable<void> merge_soon(const workshop& w, desk& d, job& j, forge::view v) {
    const auto& how = j.t.pull_request()->auto_merge;
    if (!how) co_return;
    v.is.head = j.work.commit;
    const auto asked = co_await j.forge->merge_when_ready(v, *how);
    if (!asked || *asked != forge::auto_merge::merged) co_return; // the next look asks again
    j.work.pull_request->state = pull_request_state::merged;
    const auto message = fmt::format("{} is merged", j.work.pull_request->url);
    const auto written = co_await w.record.merged(j.t.promotion, j.work, message);
    if (written) co_await d.remove(j.branch, j.work.commit);
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

boost::asio::awaitable<bool> settle_merge(
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
    co_return whose.id == asked.id;
}

boost::asio::awaitable<void> make_room(const workshop& w, job& j) {
    j.older.clear();
    j.open.reset();
    for (const auto& s : j.siblings) {
        if (s.state == promotion_state::pull_request_open) j.older.push_back(s);
    }
    if (!j.forge) {
        for (const auto& merged : j.merged_siblings) {
            auto work = merged.work;
            const auto message = fmt::format("branch {} is merged", work.branch);
            (void)co_await w.record.merged(merged, std::move(work), message);
            std::erase_if(j.older, [&](const auto& o) { return o.id == merged.id; });
        }
        co_return;
    }
    auto found = co_await j.forge->find_open(j.branch, j.to.branch);
    if (!found) {
        co_await stumble(w, j, found.error());
        co_return;
    }
    const bool go_on = co_await read_again(w, j, *found);
    if (!go_on) co_return;
    j.open = std::move(*found);
    if (j.open && j.found == finding::to_push) co_await clear_the_way(w, j);
}

boost::asio::awaitable<void> open_pull_request(const workshop& w, desk& d, job& j) {
    j.stage = stage::done;
    if (!j.forge) {
        (void)co_await w.record.opened(j.t, j.work, pushed_text(j));
        co_return;
    }
    failpoint("executor.before_open");
    result<forge::view> seen = error(errc::internal, "not asked");
    if (j.open) {
        seen = co_await j.forge->update(*j.open, j.title, j.body);
    } else {
        forge::draft draft;
        draft.head = j.branch;
        draft.base = j.to.branch;
        draft.title = j.title;
        draft.body = j.body;
        draft.is_draft = j.t.pull_request()->draft;
        seen = co_await j.forge->create(std::move(draft));
    }
    failpoint("executor.after_open");
    const bool gone = seen ? seen->is.state != pull_request_state::open
                           : j.open && (seen.error().code == errc::conflict ||
                                        seen.error().code == errc::not_found);
    if (gone) { // merged or closed just before it was rewritten
        j.stage = stage::again;
        co_return;
    }
    if (!seen) {
        co_await stumble(w, j, seen.error());
        co_return;
    }

    j.work.pull_request = seen->is;
    j.work.pull_request->head = j.work.commit;
    const auto ignored = co_await decorate(j, *seen);
    const auto opened = co_await w.record.opened(j.t, j.work, opened_text(j, ignored));
    if (opened) co_await merge_soon(w, d, j, *seen);
}

} // namespace sluice::promotion
