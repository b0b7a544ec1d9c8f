#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "home/ledger.hpp"
#include "observe/metrics.hpp"
#include "promotion/backoff.hpp"
#include "promotion/strategies/task.hpp"

#include <boost/asio/awaitable.hpp>

#include <optional>
#include <random>
#include <string>
#include <string_view>

namespace sluice::promotion {

// Writes what happened to promotions: to the ledger, to the log for the person at 3 a.m., to the metrics. Used on the
// executor's loop. errc::conflict means that the promotion went another way meanwhile: whoever gets it lets go of it.
class recorder {
public:
    recorder(home::ledger& ledger, const clock& time, observe::registry& metrics, retry_rule rule);

    // errc::conflict also when it ended here, because a newer one had passed it.
    [[nodiscard]] boost::asio::awaitable<outcome> begin(task t);
    [[nodiscard]] boost::asio::awaitable<outcome> note(task t, pipeline::promotion_work work);
    [[nodiscard]] boost::asio::awaitable<outcome>
    opened(task t, pipeline::promotion_work work, std::string message);
    [[nodiscard]] boost::asio::awaitable<outcome>
    merged(pipeline::promotion p, pipeline::promotion_work work, std::string message);
    [[nodiscard]] boost::asio::awaitable<outcome> ended(
        pipeline::promotion p,
        pipeline::promotion_state to,
        std::string reason,
        std::string message,
        std::optional<pipeline::promotion_work> work = std::nullopt
    );
    // Nothing is done for it now, and whoever looks at it reads why.
    [[nodiscard]] boost::asio::awaitable<void> paused(pipeline::promotion_id id, std::string why);
    [[nodiscard]] boost::asio::awaitable<outcome> reopened(task t, std::string because);
    [[nodiscard]] boost::asio::awaitable<outcome>
    translated(task t, std::optional<pipeline::promotion> deployed);

    // A transient error is tried again later, any other ends it Failed with its message as remedy.
    [[nodiscard]] boost::asio::awaitable<void>
    trouble(task t, error e, pipeline::promotion_work work);

    [[nodiscard]] const std::string& last_trouble() const noexcept { return last_trouble_; }

private:
    [[nodiscard]] boost::asio::awaitable<result<pipeline::verdict_on_event>>
    write(pipeline::promotion_id id, std::string step, home::change_fn decide);
    void count(std::string_view step, std::string_view outcome);
    [[nodiscard]] double roll() { return std::uniform_real_distribution<double>{0, 1}(dice_); }

    home::ledger& ledger_;
    const clock& time_;
    observe::registry& metrics_;
    retry_rule rule_;
    std::mt19937_64 dice_{std::random_device{}()};
    std::string last_trouble_;
};

} // namespace sluice::promotion
