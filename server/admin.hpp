#pragma once

#include "home/home.hpp"
#include "net/http.hpp"
#include "observe/metrics.hpp"
#include "server/router.hpp"

#include <atomic>
#include <functional>
#include <vector>

namespace sluice::server {

// A part of the process that /healthz and /readyz ask.
using health_check = std::function<home::part_health()>;

// GET /healthz, /readyz, /metrics on the admin listener.
class admin {
public:
    // `alive`: what only a restart can mend (a wedged loop or writer). `ready`: what says whether to send traffic here.
    admin(
        const observe::registry& metrics,
        std::vector<health_check> alive,
        std::vector<health_check> ready
    )
        : metrics_(metrics), alive_(std::move(alive)), ready_(std::move(ready)) {}

    // From now on /readyz is 503: the platform should stop sending.
    void drain() noexcept { draining_ = true; }

    [[nodiscard]] boost::asio::awaitable<http::response>
    healthz(http::request& request, const params& path);
    [[nodiscard]] boost::asio::awaitable<http::response>
    readyz(http::request& request, const params& path);
    [[nodiscard]] boost::asio::awaitable<http::response>
    metrics(http::request& request, const params& path);

private:
    const observe::registry& metrics_;
    std::vector<health_check> alive_;
    std::vector<health_check> ready_;
    std::atomic<bool> draining_{false};
};

} // namespace sluice::server
