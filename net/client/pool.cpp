#include "net/client/pool.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/deferred.hpp>
#include <fmt/format.h>

#include <algorithm>

namespace sluice::net::client {

namespace asio = boost::asio;

// In the queue as long as it lives. A place granted to one that went meanwhile goes to the next.
struct pool::waiter {
    waiter(pool& p, std::string k) : of(p), key(std::move(k)), ready(p.waits_.loop()) {
        ready.expires_at(steady::time_point::max());
        of.peers_[key].waiting.push_back(this);
    }
    ~waiter() {
        if (granted) {
            of.leave(key);
        } else {
            std::erase(of.peers_[key].waiting, this);
        }
    }
    waiter(const waiter&) = delete;
    waiter& operator=(const waiter&) = delete;

    pool& of;
    std::string key;
    asio::steady_timer ready;
    bool granted = false;
};

pool::place& pool::place::operator=(place&& other) noexcept {
    if (this != &other) {
        leave();
        pool_ = std::exchange(other.pool_, nullptr);
        key_ = std::move(other.key_);
    }
    return *this;
}

void pool::place::leave() {
    if (auto* of = std::exchange(pool_, nullptr)) of->leave(key_);
}

void pool::leave(const std::string& key) {
    auto& at = peers_.at(key);
    if (!at.waiting.empty()) {
        auto* next = at.waiting.front();
        at.waiting.pop_front();
        next->granted = true;
        next->ready.cancel();
        return;
    }
    --at.busy;
    drop_old();
}

asio::awaitable<result<pool::place>> pool::enter(std::string key, call_clock& time) {
    time.connecting(fmt::format("one of its {} connections to be free", limits_.busy_per_peer));
    if (time.waits().stopped()) co_return time.over();
    if (auto& at = peers_[key]; at.busy < limits_.busy_per_peer) {
        ++at.busy;
        co_return place{*this, std::move(key)};
    }
    waiter self{*this, key};
    const watchdog dog{time.waits(), time.until(), [&self] { self.ready.cancel(); }};
    if (!dog.over()) co_await self.ready.async_wait(asio::as_tuple(asio::deferred));
    if (!self.granted) co_return time.over();
    self.granted = false;
    co_return place{*this, std::move(key)};
}

std::unique_ptr<connection> pool::take(const std::string& key) {
    drop_old();
    const auto at = peers_.find(key);
    while (at != peers_.end() && !at->second.idle_ones.empty()) {
        auto youngest = std::move(at->second.idle_ones.back().link);
        at->second.idle_ones.pop_back();
        if (youngest->fit_for_reuse()) return youngest;
    }
    return nullptr;
}

void pool::keep(const std::string& key, std::unique_ptr<connection> used) {
    if (waits_.stopped()) return;
    auto& idle_ones = peers_[key].idle_ones;
    idle_ones.push_back({std::move(used), steady::now()});
    if (idle_ones.size() > limits_.idle_per_peer) idle_ones.erase(idle_ones.begin());
}

void pool::clear() noexcept {
    for (auto& [key, at] : peers_) at.idle_ones.clear();
}

void pool::drop_old() {
    const auto oldest = steady::now() - limits_.idle_for;
    for (auto& [key, at] : peers_) {
        std::erase_if(at.idle_ones, [&](const idle& one) { return one.since < oldest; });
    }
    std::erase_if(peers_, [](const auto& entry) {
        const auto& at = entry.second;
        return at.busy == 0 && at.waiting.empty() && at.idle_ones.empty();
    });
}

} // namespace sluice::net::client
