#pragma once

#include "base/clock.hpp"
#include "home/home.hpp"
#include "net/http_client.hpp"
#include "observe/metrics.hpp"
#include "promotion/git/repository.hpp"
#include "promotion/strategies/forges.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

// Carries promotions out: claims them from the ledger, runs their strategy, follows their pull requests. It owns one
// thread with an io_context (HTTP, timers) and a few git threads.
namespace sluice::promotion {

struct executor_options {
    std::size_t workers = 4;                  // repositories at work at once, each on a git thread
    std::filesystem::path caches;             // STATE/git
    std::filesystem::path local_repositories; // root below which file:// is allowed
    git::author author{"Sluice", "sluice@localhost"};
    std::chrono::milliseconds first_retry{2'000}; // doubled each time, full jitter
    std::chrono::milliseconds longest_retry{300'000};
    std::chrono::milliseconds poll_every{30'000};      // open pull requests, where no webhook told
    std::chrono::milliseconds look_at_failed{300'000}; // base tip of failed ones
    std::chrono::milliseconds wedged_after{900'000};   // longer than any fetch or push may take
    std::string events_address; // notification-controller; empty: the strategy notification fails
    net::http_client::options http;
    forge_maker make_forge = forge::make;
};

// What promoting would do.
struct preview {
    std::string diff;
    std::string title;
    std::string body;
    std::string branch;
    std::string base_branch;
    std::string repository;
    std::vector<std::string> remarks; // unreadable files, stray markers
};

class executor {
public:
    executor(home::parts home, const clock& time, observe::registry& metrics, executor_options o);
    ~executor(); // stops
    executor(const executor&) = delete;
    executor& operator=(const executor&) = delete;

    void start();
    // Begins nothing new, lets steps in progress finish for so long. What is cut off resumes at the next start.
    void stop(std::chrono::milliseconds grace);

    // From any thread: something changed, look now.
    void wake() noexcept;
    // From any thread: the forge told of this pipeline's pull requests.
    void look_again(pipeline::object_name pipeline);

    // Awaited from any executor. The same patch and text a promotion would make; nothing is pushed or recorded.
    [[nodiscard]] boost::asio::awaitable<result<preview>> foresee(
        pipeline::definition_ptr pipeline, std::string environment, pipeline::revision_facts facts
    );

    [[nodiscard]] home::part_health health() const;
    [[nodiscard]] bool wedged() const; // what /healthz asks

private:
    struct impl;
    std::unique_ptr<impl> impl_;
};

} // namespace sluice::promotion
