#pragma once

#include "base/result.hpp"
#include "net/client/call_clock.hpp"
#include "net/client/connection.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::net::client {

// Connections by peer: how many may be busy at once, and those that wait for the next call, youngest first.
class pool {
public:
    struct limits {
        std::size_t idle_per_peer;
        std::chrono::milliseconds idle_for;
        std::size_t busy_per_peer;
    };
    pool(watch_list& waits, limits l) : waits_(waits), limits_(l) {}

    // The right to one connection; the next one who waits gets it when this goes.
    class place {
    public:
        place() = default;
        place(pool& of, std::string key) : pool_(&of), key_(std::move(key)) {}
        place(place&& other) noexcept
            : pool_(std::exchange(other.pool_, nullptr)), key_(std::move(other.key_)) {}
        place& operator=(place&& other) noexcept;
        ~place() { leave(); }
        void leave();

    private:
        pool* pool_ = nullptr;
        std::string key_;
    };
    // Waits for a place within the connect deadline.
    [[nodiscard]] boost::asio::awaitable<result<place>> enter(std::string key, call_clock& time);

    // The youngest idle one that still lives; null when there is none.
    [[nodiscard]] std::unique_ptr<connection> take(const std::string& key);
    void keep(const std::string& key, std::unique_ptr<connection> used);
    void clear() noexcept;

private:
    struct idle {
        std::unique_ptr<connection> link;
        steady::time_point since;
    };
    struct waiter;
    struct peer {
        std::size_t busy = 0;
        std::list<waiter*> waiting;
        std::vector<idle> idle_ones; // oldest first
    };
    void leave(const std::string& key);
    // Whenever the client is used; a timer of its own would keep the loop from ending.
    void drop_old();

    watch_list& waits_;
    limits limits_;
    std::map<std::string, peer> peers_;
};

} // namespace sluice::net::client
