#include "promotion/dispatcher.hpp"

#include "observe/log.hpp"
#include "promotion/strategies/notification.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <utility>

namespace sluice::promotion {

namespace asio = boost::asio;
using pipeline::promotion_state;

namespace {

constexpr std::chrono::milliseconds heartbeat{5'000};
constexpr std::chrono::milliseconds shortest_pause{1};
constexpr std::chrono::seconds longest_gap{1};
constexpr std::chrono::milliseconds quiet{2};
constexpr std::chrono::milliseconds longest_gathering{20};

} // namespace

dispatcher::dispatcher(
    asio::io_context& loop,
    const workshop& w,
    task_group& lanes,
    observe::registry& metrics,
    options o
)
    : w_(w), lanes_(lanes), metrics_(metrics), options_(o), loop_(loop), pause_(loop),
      started_(w.time.now()) {}

void dispatcher::wake() noexcept {
    if (woken_.exchange(true)) return;
    try {
        asio::post(loop_, [this] { pause_.cancel(); });
    } catch (const std::bad_alloc&) {
        woken_ = false; // the heartbeat looks anyway
    }
}

asio::awaitable<void> dispatcher::run() {
    while (!w_.stopping) {
        co_await gather();
        if (w_.stopping) co_return; // gathering took the bell that told of it
        const auto begun = steady::now();
        next_ = w_.time.now() + heartbeat;
        co_await pass();
        const auto took = steady::now() - begun;
        {
            const std::lock_guard lock{mutex_};
            beat_ = steady::now();
        }
        // A ledger that is written to all the time must not keep this thread reading it all the time.
        asio::steady_timer gap{
            loop_, std::min<steady::duration>(took * 2, longest_gap) + shortest_pause
        };
        co_await gap.async_wait(asio::as_tuple(asio::use_awaitable));
        if (woken_) continue;
        const auto wait = std::clamp(next_ - w_.time.now(), shortest_pause, heartbeat);
        pause_.expires_after(wait);
        co_await pause_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

// What is accepted in the same moment shares a fetch and a push; alone, the first would keep all others waiting for its own.
asio::awaitable<void> dispatcher::gather() {
    asio::steady_timer pause{loop_};
    const auto end = steady::now() + longest_gathering;
    while (woken_.exchange(false) && steady::now() < end) {
        pause.expires_after(quiet);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<void> dispatcher::pass() {
    if (!recollected_) co_await recollect();
    // Before reading, which then shows what became of them.
    at_work_.merge(std::exchange(carried_, {}));
    read_at_ = w_.time.now();
    auto read = co_await w_.home.ledger.live();
    if (!read) {
        tell(read.error().message);
        next_ = w_.time.now() + std::chrono::seconds{1};
        co_return;
    }
    tell({});
    const auto live = std::make_shared<const std::vector<pipeline::promotion>>(std::move(*read));
    count(*live);
    co_await find_vanished(live);

    std::vector<task> due;
    for (const auto& p : *live) {
        auto t = task_if_due(p);
        if (p.state == promotion_state::failed && t) co_await reopen_changed(*t);
        if (t && t->what != duty::none) due.push_back(std::move(*t));
    }
    for (const auto& [id, p] : w_.remembered.ended) {
        auto t = task_if_due(p);
        if (t && t->what != duty::none) due.push_back(std::move(*t));
    }
    start_due(std::move(due), live);
    for (auto& [id, why] : std::exchange(pausing_, {})) {
        co_await w_.record.paused(id, std::move(why));
    }
}

// `what` is none when it is not due yet.
std::optional<task> dispatcher::task_if_due(const pipeline::promotion& p) {
    const auto now = w_.time.now();
    const auto at = due_at(p, w_.remembered.last_look(p.id), options_.pace, now);
    if (!at) return std::nullopt;
    if (*at > now) next_ = std::min(next_, *at);
    if (*at > now && p.state != promotion_state::failed) return std::nullopt;
    if (!w_.home.pipelines.available()) return std::nullopt;
    auto t = make_task(p, w_.home.pipelines.find(p.id.pipeline.ns, p.id.pipeline.name));
    if (!t) {
        pause_once(p, t.error().message);
        return std::nullopt;
    }
    t->what = *at > now ? duty::none : duty_of(p);
    if (t->what == duty::carry && (t->pipeline->suspend || t->into->suspend)) {
        pause_once(p, "it is suspended; nothing new starts until it is resumed");
        return std::nullopt;
    }
    w_.remembered.paused.erase(p.id);
    return std::move(*t);
}

void dispatcher::pause_once(const pipeline::promotion& p, std::string why) {
    if (!w_.remembered.paused.insert(p.id).second) return;
    log::warn("a promotion is paused", {{"promotion", p.id.text()}, {"reason", why}});
    const bool is_told = p.message == why; // before a restart
    if (duty_of(p) == duty::carry && !is_told) pausing_.emplace_back(p.id, std::move(why));
}

// Failed: its Pipeline and Secret are compared here, its base branch when the lane looks at it.
asio::awaitable<void> dispatcher::reopen_changed(task t) {
    const auto& p = t.promotion;
    auto now = w_.circumstances_of(t);
    const auto [met, first] = w_.remembered.tried.try_emplace(p.id, now);
    const char* because = nullptr;
    if (first) {
        // Nobody watched while it was down.
        const auto since = w_.time.now() - p.updated_at;
        if (p.updated_at < started_ && since < options_.pace.second_looks)
            because = "Sluice was started again";
    } else if (met->second.pipeline != t.pipeline) {
        because = "its Pipeline has changed";
    } else if (met->second.secret != now.secret) {
        because = "its Secret has changed";
    }
    if (because == nullptr) co_return;
    met->second = std::move(now);
    (void)co_await w_.record.reopened(std::move(t), because);
}

void dispatcher::start_due(std::vector<task> due, const live_promotions& live) {
    std::set<std::string, std::less<>> busy;
    {
        const std::lock_guard lock{mutex_};
        for (const auto& [lane, since] : busy_) busy.insert(lane);
    }
    std::ranges::sort(due, {}, [](const task& t) {
        return std::tie(t.promotion.updated_at, t.promotion.id);
    });
    lane_limits limits;
    limits.lanes = options_.workers - std::min(options_.workers, busy.size());
    for (auto& plan : plan_lanes(std::move(due), busy, limits)) {
        busy_with(plan.lane, /*begins=*/true);
        lanes_.spawn(run_lane(std::move(plan), live));
    }
}

asio::awaitable<void> dispatcher::run_lane(lane_plan plan, live_promotions live) {
    const auto begun = read_at_;
    const auto batch = plan.batch;
    for (const auto& t : batch) {
        // Before anything of them is used: what changes while it runs counts as a change.
        if (t.what == duty::carry)
            w_.remembered.tried.insert_or_assign(t.promotion.id, w_.circumstances_of(t));
    }
    std::string escaped;
    try {
        std::unique_ptr<strategy> how;
        if (destination_of(*batch.front().policy)) {
            how = std::make_unique<repository_run>(w_, std::move(live));
        } else {
            how = std::make_unique<notification>(w_);
        }
        co_await how->run(std::move(plan.batch));
    } catch (const std::exception& e) {
        escaped = e.what();
    }
    if (!escaped.empty()) {
        log::error("a run of a lane failed; this is a bug", {{"error", escaped}});
        for (const auto& t : batch) {
            if (t.what != duty::carry) continue;
            error internal{errc::unavailable, fmt::format("internal error: {}", escaped)};
            co_await w_.record.trouble(t, std::move(internal), t.promotion.work);
        }
    }
    for (const auto& t : batch) {
        const bool carried = t.what == duty::carry;
        if (carried) carried_.insert(t.promotion.id);
        // What a carry wrote is its own; what was written while a look went on, the look may not have seen.
        w_.remembered.looked(t.promotion.id, begun, carried ? w_.time.now() : begun, carried);
    }
    busy_with(plan.lane, /*begins=*/false);
    wake();
}

void dispatcher::busy_with(const std::string& lane, bool begins) {
    const std::lock_guard lock{mutex_};
    if (begins) {
        busy_.emplace(lane, steady::now());
    } else {
        busy_.erase(lane);
    }
    metrics_.gauge("sluice_executor_lanes_busy", "Repositories at work now")
        .set(static_cast<double>(busy_.size()));
}

} // namespace sluice::promotion
