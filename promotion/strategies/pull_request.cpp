#include "promotion/strategies/pull_request.hpp"

#include "base/failpoint.hpp"
#include "promotion/backoff.hpp"
#include "promotion/strategies/merging.hpp"
#include "promotion/strategies/remarks.hpp"

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

std::string closed_for(const job& j) {
    return fmt::format(
        "Closed by Sluice: {} goes into {} instead, in a pull request of its own.",
        j.t.promotion.id.revision,
        j.t.promotion.id.environment
    );
}

boost::asio::awaitable<void> supersede(const workshop& w, job& j) {
    for (const auto& o : j.older) {
        // A conflict means that it ended by itself, which is as good.
        (void)co_await w.record.ended(o, promotion_state::superseded, "newer", took_over(j));
    }
}

// An older one's pull request, which the new one does not rewrite. True: it was merged.
boost::asio::awaitable<result<bool>>
look_at_older(const workshop& w, job& j, pipeline::promotion o) {
    const auto seen = co_await j.forge->get(o.work.pull_request->number);
    if (!seen) co_return seen.error();
    if (seen->is.state == pull_request_state::open) {
        if (is_here(o.work, j.to)) co_return false;
        // The Pipeline named another branch then; there is one live pull request for an environment.
        const auto closed = co_await j.forge->close(*seen, closed_for(j));
        if (!closed) co_return closed.error();
        co_return false;
    }
    const bool merged = seen->is.state == pull_request_state::merged;
    if (merged) {
        co_await settle_merge(w, o, j.siblings, *seen);
    } else {
        const auto message = fmt::format("{} was closed without a merge", seen->is.url);
        (void)co_await w.record.ended(o, promotion_state::closed, "closed", message);
    }
    std::erase_if(j.siblings, [&](const auto& s) { return s.id == o.id; });
    co_return merged;
}

// True: go on. An older one that is not open any more is recorded as what became of it.
boost::asio::awaitable<bool>
read_again(const workshop& w, job& j, const std::optional<forge::view>& open) {
    bool any_merged = false;
    for (const auto& o : j.older) {
        const auto& before = o.work.pull_request;
        const bool known = before && in_same_repository(o.work, j.to);
        if (!known || (open && open->is.number == before->number)) continue;
        const auto merged = co_await look_at_older(w, j, o);
        if (!merged) {
            co_await stumble(w, j, merged.error());
            co_return false;
        }
        any_merged = any_merged || *merged;
    }
    if (any_merged) j.stage = stage::again;
    co_return !any_merged;
}

boost::asio::awaitable<void> clear_the_way(const workshop& w, job& j) {
    const auto* strategy = j.t.pull_request();
    if (strategy->on_newer == pipeline::on_newer::replace && !is_own(j, *j.open)) {
        co_await supersede(w, j);
        const auto closed = co_await j.forge->close(*j.open, closed_for(j));
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
        "branch {} is pushed to {}; merge it into {}{}",
        j.branch,
        j.work.repository,
        j.to.branch,
        remarks_of(j)
    );
}

// What was left out. The pull request is there: what the forge refuses for good is not worth failing for, and a person
// reads why it is missing.
boost::asio::awaitable<result<std::vector<std::string>>> decorate(job& j, forge::view v) {
    using names = std::vector<std::string>;
    const auto* strategy = j.t.pull_request();
    const std::pair<names, names> asked[] = {{strategy->labels, {}}, {{}, strategy->reviewers}};
    names ignored;
    for (const auto& [labels, reviewers] : asked) {
        if (labels.empty() && reviewers.empty()) continue;
        const auto told = co_await j.forge->decorate(v, labels, reviewers);
        if (!told && is_transient(told.error().code)) co_return told.error();
        if (told) {
            ignored.insert(ignored.end(), told->begin(), told->end());
        } else {
            ignored.push_back(told.error().message);
        }
    }
    co_return ignored;
}

// Its proof may have been withdrawn while its pull request was being opened.
boost::asio::awaitable<void> merge_soon(const workshop& w, desk& d, job& j, forge::view v) {
    if (!j.t.pull_request()->auto_merge) co_return;
    auto now = co_await w.home.ledger.show(j.t.promotion.id.text());
    if (!now) co_return; // the next look asks
    auto t = j.t;
    t.promotion = std::move(now->promotion);
    v.is.head = j.work.commit;
    co_await merge_if_ready(w, d, std::move(t), j.forge, std::move(v));
}

} // namespace

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
    if (!ignored) {
        co_await stumble(w, j, ignored.error());
        co_return;
    }
    const auto opened = co_await w.record.opened(j.t, j.work, opened_text(j, *ignored));
    if (opened) co_await merge_soon(w, d, j, *seen);
}

} // namespace sluice::promotion
