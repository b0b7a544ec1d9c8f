#include "promotion/forge/rate_limits.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace sluice::promotion::forge {
namespace {

constexpr std::chrono::milliseconds patience{10'000};

error too_many(std::chrono::milliseconds wait, std::string_view why) {
    const auto seconds =
        std::max(std::chrono::ceil<std::chrono::seconds>(wait), std::chrono::seconds{1});
    error e{errc::too_many_requests, std::string{why}};
    e.retry_after = seconds;
    return e;
}

std::string_view name_of(pipeline::forge type) noexcept {
    switch (type) {
    case pipeline::forge::github: return "github";
    case pipeline::forge::gitlab: return "gitlab";
    case pipeline::forge::bitbucket_server: return "bitbucket-server";
    case pipeline::forge::gitea: return "gitea";
    case pipeline::forge::git: break;
    }
    return "git";
}

} // namespace

// Waits in the queue as long as it lives.
struct account::waiter {
    waiter(account& of, const boost::asio::any_io_executor& loop)
        : queue(of.waiting_), timer(loop) {
        queue.push_back(this);
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;
    ~waiter() { queue.remove(this); }

    std::list<waiter*>& queue;
    boost::asio::steady_timer timer;
    bool granted = false;
};

account::account(
    const clock& time, observe::registry& metrics, observe::labels name, write_limits writes
)
    : time_(time), metrics_(metrics), name_(std::move(name)), window_(writes) {
    show_writes();
}

boost::asio::awaitable<result<std::shared_ptr<account::turn>>> account::write_turn() {
    if (window_.limits().per_hour == 0) co_return std::make_shared<turn>(nullptr);
    auto loop = co_await boost::asio::this_coro::executor;
    const auto ahead = static_cast<long>(waiting_.size() + 1);
    if (writing_ && window_.limits().apart * ahead > patience) {
        co_return too_many(window_.limits().apart * ahead, "other writes to the forge come first");
    }
    if (writing_) {
        waiter w{*this, loop};
        w.timer.expires_after(patience);
        co_await w.timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
        if (!w.granted) co_return too_many(patience, "other writes to the forge come first");
    }
    writing_ = true;
    auto mine = std::make_shared<turn>(shared_from_this());
    const auto now = time_.now();
    const auto pause = window_.pause(now);
    if (const auto wait = window_.wait(now); wait > pause) {
        co_return too_many(wait, "the forge's limit of writes by one account is used up");
    }
    if (pause.count() > 0) {
        boost::asio::steady_timer timer{loop, pause};
        co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
    }
    window_.began(time_.now());
    show_writes();
    co_return mine;
}

void account::pass_on() {
    window_.ended(time_.now());
    writing_ = false;
    for (auto* w : waiting_) {
        if (w->granted) continue;
        writing_ = w->granted = true; // so that nobody slips in before it runs
        w->timer.cancel();
        return;
    }
}

account::resource& account::resource_of(std::string_view name) {
    const auto found = resources_.find(name);
    if (found != resources_.end()) return found->second;
    auto labels = name_;
    labels.emplace_back("resource", name);
    resource made{
        {},
        &metrics_.gauge(
            "sluice_forge_requests_remaining",
            "Requests the forge lets this account make until its reset, as it said last",
            labels
        ),
        &metrics_.gauge(
            "sluice_forge_blocked_until_seconds",
            "Time until which the forge told this account to stay away, seconds since the epoch",
            labels
        ),
    };
    return resources_.emplace(name, made).first->second;
}

outcome account::may_ask(std::string_view name) const {
    const auto found = resources_.find(name);
    if (found == resources_.end()) return {};
    const auto wait = found->second.quota.wait(time_.now());
    if (wait.count() == 0) return {};
    return too_many(wait, "the forge told to wait: too many requests by one account");
}

bool account::learn(std::string_view name, const net::http_answer& answer) {
    const auto now = time_.now();
    const auto told = read_quota(answer, now);
    auto& r = resource_of(name);
    r.quota.learn(told, now);
    if (told.remaining) r.remaining->set(static_cast<double>(*told.remaining));
    const auto until = r.quota.blocked_until().time_since_epoch();
    r.blocked->set(static_cast<double>(until.count()) / 1000.0);
    return told.refused;
}

void account::refused(std::string_view name) {
    net::http_answer as_if;
    as_if.status = 429;
    learn(name, as_if);
}

void account::show_writes() {
    if (window_.limits().per_hour == 0) return;
    const auto now = time_.now();
    const auto show = [&](std::string_view window, std::size_t left) {
        auto labels = name_;
        labels.emplace_back("window", window);
        metrics_
            .gauge(
                "sluice_forge_writes_left",
                "Writes the forge's published limits leave this account, after its last one",
                std::move(labels)
            )
            .set(static_cast<double>(left));
    };
    show("minute", window_.left_in_minute(now));
    show("hour", window_.left_in_hour(now));
}

rate_limits::rate_limits(const clock& time, observe::registry& metrics, write_limits github)
    : time_(time), metrics_(metrics), github_(github) {}
rate_limits::~rate_limits() = default;

std::shared_ptr<account>
rate_limits::of(pipeline::forge type, std::string_view host, std::string_view identity) {
    const auto place = std::string{name_of(type)} + " " + std::string{host} + " ";
    const auto key = place + std::string{identity};
    const auto found = accounts_.find(key);
    if (found != accounts_.end()) return found->second;
    std::size_t number = 1;
    for (const auto& [other, ignored] : accounts_) number += other.starts_with(place) ? 1U : 0U;
    observe::labels labels{
        {"forge", std::string{name_of(type)}},
        {"host", std::string{host}},
        {"account", std::to_string(number)}
    };
    const auto writes = type == pipeline::forge::github ? github_ : write_limits{};
    auto made = std::make_shared<account>(time_, metrics_, std::move(labels), writes);
    accounts_.emplace(key, made);
    return made;
}

} // namespace sluice::promotion::forge
