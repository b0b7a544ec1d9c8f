#include "server/doorkeeper.hpp"

#include "auth/client_address.hpp"
#include "observe/log.hpp"
#include "server/problem.hpp"
#include "server/refreshed_secret.hpp"
#include "server/request_fields.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>

namespace sluice::server {
namespace {

using namespace std::chrono_literals;

// Why a request was not believed: those of auth::signature_failure, and our own.
constexpr std::string_view failure_kinds[] = {
    "missing",
    "malformed",
    "unsupported_algorithm",
    "mismatch",
    "outside_tolerance",
    "unknown_pipeline",
    "no_key",
    "other_environment",
};

// A Secret is waited for at least this long, also where the operator set no delay.
constexpr auto shortest_refresh = 50ms;

auth::ip_address address_of(const boost::asio::ip::address& peer) {
    if (peer.is_v4()) return auth::ip_address::v4(peer.to_v4().to_bytes());
    return auth::ip_address::v6(peer.to_v6().to_bytes());
}

const std::string* repository_secret(const pipeline::promotion_policy& policy) {
    const auto& how = policy.strategy.how;
    if (const auto* p = std::get_if<pipeline::pull_request_strategy>(&how)) return &p->secret;
    if (const auto* p = std::get_if<pipeline::push_strategy>(&how)) return &p->secret;
    return nullptr;
}

} // namespace

doorkeeper::doorkeeper(home::parts home, observe::registry& metrics, door_options options)
    : home_(home), metrics_(metrics), options_(std::move(options)), limiter_(options_.failures),
      senders_(options_.senders),
      throttled_(metrics.counter(
          "sluice_events_throttled_total", "Verified events refused by the pipeline's token bucket"
      )) {
    // Each kind is there from the start, so that an alert on its rate sees the first one.
    for (const auto kind : failure_kinds) (void)failures(kind);
}

observe::counter& doorkeeper::failures(std::string_view kind) {
    return metrics_.counter(
        "sluice_auth_failures_total",
        "Requests that were not believed, by kind",
        {{"kind", std::string{kind}}}
    );
}

std::optional<http::response> doorkeeper::closed(const http::request& request) const {
    if (home_.pipelines.available() && home_.secrets.available()) return std::nullopt;
    error e{errc::unavailable, "the source of pipelines or secrets is unwell", "try again shortly"};
    e.retry_after = 1s;
    return problem(e, request.request_id);
}

speaker doorkeeper::of_environment(
    std::string_view ns, std::string_view name, std::string_view environment
) const {
    return holders(ns, name, environment, &pipeline::definition::event_secret);
}

speaker doorkeeper::of_approvers(
    std::string_view ns, std::string_view name, std::string_view environment
) const {
    return holders(ns, name, environment, &pipeline::definition::approval_secret);
}

speaker doorkeeper::holders(
    std::string_view ns, std::string_view name, std::string_view environment, secret_of which
) const {
    speaker who;
    who.pipeline = home_.pipelines.find(ns, name);
    if (!who.pipeline) return who;
    std::optional<std::string> secret;
    if (const auto* known = who.pipeline->find(environment)) {
        secret = (*who.pipeline.*which)(*known);
    } else if (who.pipeline->promotion) {
        secret = who.pipeline->promotion->strategy.secret;
    }
    if (secret) who.secrets.push_back(std::move(*secret));
    return who;
}

speaker doorkeeper::of_repositories(std::string_view ns, std::string_view name) const {
    speaker who;
    who.pipeline = home_.pipelines.find(ns, name);
    if (!who.pipeline) return who;
    const auto add = [&](const std::optional<pipeline::promotion_policy>& policy) {
        const auto* secret = policy ? repository_secret(*policy) : nullptr;
        if (secret == nullptr || secret->empty()) return;
        if (std::ranges::find(who.secrets, *secret) == who.secrets.end())
            who.secrets.push_back(*secret);
    };
    add(who.pipeline->promotion);
    for (const auto& e : who.pipeline->environments) add(e.promotion);
    return who;
}

belief doorkeeper::try_all(const speaker& who, const key_check& check) const {
    belief last = std::string_view{"no_key"};
    bool asked = false;
    for (const auto& name : who.secrets) {
        const auto secret = home_.secrets.find(who.pipeline->name.ns, name);
        if (!secret) continue;
        asked = true;
        last = check(secret.get(), name);
        if (std::holds_alternative<auth::verified>(last)) return last;
    }
    if (asked) return last;
    last = check(nullptr, {});
    if (std::holds_alternative<auth::verified>(last)) return last;
    return std::string_view{who.pipeline ? "no_key" : "unknown_pipeline"};
}

std::vector<std::uint64_t> doorkeeper::generations(const speaker& who) const {
    std::vector<std::uint64_t> found;
    found.reserve(who.secrets.size());
    for (const auto& name : who.secrets) {
        const auto secret = home_.secrets.find(who.pipeline->name.ns, name);
        found.push_back(secret ? secret->generation : 0);
    }
    return found;
}

boost::asio::awaitable<belief>
doorkeeper::authenticate(const http::request& request, speaker who, key_check check) {
    auto believed = try_all(who, check);
    if (std::holds_alternative<auth::verified>(believed) || who.secrets.empty()) {
        co_return believed;
    }
    // A tenth is left for the second check.
    const auto delay = options_.unauthorized_delay;
    const auto deadline = request.received +
                          std::max<std::chrono::milliseconds>(shortest_refresh, delay - delay / 10);
    const auto before = generations(who);
    for (const auto& name : who.secrets) {
        co_await refresh_until(home_.secrets, who.pipeline->name.ns, name, deadline);
    }
    if (generations(who) != before) believed = try_all(who, check);
    co_return believed;
}

boost::asio::awaitable<http::response>
doorkeeper::refuse(http::request& request, std::string_view kind, std::string_view remedy) {
    failures(kind).add();
    const auto forwarded = request.all("x-forwarded-for");
    const auto client = auth::client_address(
        address_of(request.peer), {forwarded.data(), forwarded.size()}, options_.trusted_proxies
    );
    const bool too_many = limiter_.refused(client, std::chrono::steady_clock::now());
    log::write(
        too_many ? log::level::debug : log::level::warn,
        "request refused: not authenticated",
        {{"kind", kind},
         {"path", request.path},
         {"client", client.text()},
         request_id_of(request),
         trace_id_of(request),
         {"remedy", remedy}}
    );
    request.drop_body();

    auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer{executor, request.received + options_.unauthorized_delay};
    boost::system::error_code cancelled;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));

    error e =
        too_many
            ? error{errc::too_many_requests, "too many failed requests; correct the key or the signature"}
            : error{errc::unauthenticated, "the request could not be authenticated"};
    if (too_many) e.retry_after = 1s;
    co_return problem(e, request.request_id);
}

std::optional<http::response>
doorkeeper::throttled(const http::request& request, const pipeline::definition& pipeline) {
    if (senders_.take(pipeline.name.text(), std::chrono::steady_clock::now())) return std::nullopt;
    throttled_.add();
    error e{errc::too_many_requests, "too many requests for this pipeline; try again in a second"};
    e.retry_after = 1s;
    return problem(e, request.request_id);
}

} // namespace sluice::server
