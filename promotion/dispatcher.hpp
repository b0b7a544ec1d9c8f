#pragma once

#include "base/task_group.hpp"
#include "observe/metrics.hpp"
#include "promotion/schedule.hpp"
#include "promotion/strategies/repository_run.hpp"
#include "promotion/strategies/workshop.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sluice::promotion {

// Looks at the ledger, finds what is due and starts lanes. On the executor's loop, unless said otherwise.
class dispatcher {
public:
    struct options {
        std::size_t workers = 4;
        promotion::pace pace;
        std::chrono::milliseconds wedged_after{900'000};
    };

    dispatcher(
        boost::asio::io_context& loop,
        const workshop& w,
        task_group& lanes,
        observe::registry& metrics,
        options o
    );

    // Until the workshop stops.
    [[nodiscard]] boost::asio::awaitable<void> run();

    // From any thread.
    void wake() noexcept;
    [[nodiscard]] home::part_health health() const;
    [[nodiscard]] bool wedged() const;

    // Everything of this pipeline that waits for others is due now.
    void look_again(const pipeline::object_name& pipeline);

private:
    using steady = std::chrono::steady_clock;

    [[nodiscard]] boost::asio::awaitable<void> gather();
    [[nodiscard]] boost::asio::awaitable<void> pass();
    [[nodiscard]] boost::asio::awaitable<void> recollect();
    [[nodiscard]] boost::asio::awaitable<void> find_vanished(live_promotions live);
    [[nodiscard]] boost::asio::awaitable<void> reopen_changed(task t);
    [[nodiscard]] boost::asio::awaitable<void> run_lane(lane_plan plan, live_promotions live);
    void start_due(std::vector<task> due, const live_promotions& live);
    void pause_once(const pipeline::promotion& p, std::string why);
    [[nodiscard]] std::optional<task> task_if_due(const pipeline::promotion& p);
    void count(const std::vector<pipeline::promotion>& live);
    void tell(std::string problem);
    void busy_with(const std::string& lane, bool begins);

    const workshop& w_;
    task_group& lanes_;
    observe::registry& metrics_;
    options options_;
    boost::asio::io_context& loop_;
    boost::asio::steady_timer pause_;
    std::atomic<bool> woken_{false};
    time_point next_;
    time_point started_;
    time_point read_at_; // when the ledger was read for what is due now
    bool recollected_ = false;
    std::set<pipeline::promotion_id> at_work_; // with something outside, at the last look
    std::set<pipeline::promotion_id>
        carried_; // since the last look; may have left something outside

    std::vector<std::pair<pipeline::promotion_id, std::string>> pausing_; // to be told

    mutable std::mutex mutex_; // what other threads ask for
    std::map<std::string, steady::time_point, std::less<>> busy_;
    std::string problem_;
    steady::time_point beat_ = steady::now();
    std::size_t live_ = 0;
};

} // namespace sluice::promotion
