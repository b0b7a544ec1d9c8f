#include "server/admin.hpp"

#include <nlohmann/json.hpp>

namespace sluice::server {
namespace {

// {"status":"ok"|"degraded"|"failing","parts":[{"part","ok","message"}]}. Only "failing" is 503: whoever still serves, from
// the last good version of a broken edit for one, must not be taken out of service.
http::response report(const std::vector<home::part_health>& parts) {
    bool ok = true;
    bool serving = true;
    auto list = nlohmann::ordered_json::array();
    for (const auto& p : parts) {
        ok = ok && p.ok;
        serving = serving && p.serving;
        list.push_back({{"part", p.part}, {"ok", p.ok}, {"message", p.message}});
    }
    const char* unwell = serving ? "degraded" : "failing";
    const nlohmann::ordered_json body{{"status", ok ? "ok" : unwell}, {"parts", std::move(list)}};
    using error_handler = nlohmann::ordered_json::error_handler_t;
    return {
        serving ? 200 : 503,
        "application/json",
        body.dump(2, ' ', false, error_handler::replace) + "\n"
    };
}

std::vector<home::part_health> ask(const std::vector<health_check>& checks) {
    std::vector<home::part_health> parts;
    parts.reserve(checks.size() + 1);
    for (const auto& check : checks) parts.push_back(check());
    return parts;
}

} // namespace

boost::asio::awaitable<http::response>
admin::healthz(http::request& /*request*/, const params& /*path*/) {
    co_return report(ask(alive_));
}

boost::asio::awaitable<http::response>
admin::readyz(http::request& /*request*/, const params& /*path*/) {
    auto parts = ask(ready_);
    if (draining_)
        parts.push_back(
            {"server", false, "stopping: finishing the requests in hand", /*serving=*/false}
        );
    co_return report(parts);
}

boost::asio::awaitable<http::response>
admin::metrics(http::request& /*request*/, const params& /*path*/) {
    co_return http::response{200, "text/plain; version=0.0.4; charset=utf-8", metrics_.text()};
}

} // namespace sluice::server
