#pragma once

#include "home/home.hpp"
#include "promotion/credentials.hpp"
#include "promotion/forge/rate_limits.hpp"
#include "promotion/git/repository.hpp"
#include "promotion/lane_locks.hpp"
#include "promotion/memory.hpp"
#include "promotion/recorder.hpp"
#include "promotion/strategies/forges.hpp"

#include <boost/asio/thread_pool.hpp>

#include <atomic>
#include <string>

namespace sluice::promotion {

// What all strategies work with. Owned by the executor and used on its loop, but for git, which runs on git threads.
struct workshop {
    home::parts home;
    const clock& time;
    recorder& record;
    memory& remembered;
    net::http_client& client;
    credential_source& credentials;
    forges& pull_requests;
    lane_locks& locks;
    boost::asio::thread_pool& git_threads;
    git::environment git;
    git::author author;
    std::string events_address;
    const std::atomic<bool>& stopping;

    [[nodiscard]] memory::circumstances circumstances_of(const task& t) const;
    // What the Secret named by the strategy gives.
    [[nodiscard]] boost::asio::awaitable<result<promotion::credentials>>
    login_for(std::string ns, destination to) const;
};

// One way of carrying promotions out. A batch is the tasks of one lane; each step of it is safe to repeat, on another
// replica too, and whatever becomes of a task is in the ledger when run() returns.
class strategy {
public:
    virtual ~strategy() = default;
    [[nodiscard]] virtual boost::asio::awaitable<void> run(std::vector<task> batch) = 0;
};

} // namespace sluice::promotion
