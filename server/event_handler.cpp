#include "server/event_handler.hpp"

#include "auth/client_address.hpp"
#include "auth/digest.hpp"
#include "observe/log.hpp"
#include "server/problem.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <nlohmann/json.hpp>

namespace sluice::server {
namespace {

using namespace std::chrono_literals;

auth::signature_headers signature_headers_of(const http::request& request) {
    auth::signature_headers found;
    for (const auto& h : request.headers) {
        if (http::equal_ignoring_case(h.name, "x-signature")) {
            found.x_signature.push_back(h.value);
        } else if (http::equal_ignoring_case(h.name, "x-hub-signature-256")) {
            found.x_hub_signature_256.push_back(h.value);
        } else if (http::equal_ignoring_case(h.name, "webhook-id")) {
            found.webhook_id.push_back(h.value);
        } else if (http::equal_ignoring_case(h.name, "webhook-timestamp")) {
            found.webhook_timestamp.push_back(h.value);
        } else if (http::equal_ignoring_case(h.name, "webhook-signature")) {
            found.webhook_signature.push_back(h.value);
        }
    }
    return found;
}

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

auth::ip_address address_of(const boost::asio::ip::address& peer) {
    if (peer.is_v4()) return auth::ip_address::v4(peer.to_v4().to_bytes());
    return auth::ip_address::v6(peer.to_v6().to_bytes());
}

std::string json_string(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// {"decision":"…","reason":"…","promotion":"…"|null}
http::response accepted(const home::acceptance& a) {
    std::string body;
    body.reserve(96 + a.reason.size() + a.promotion.size());
    body.append(R"({"decision":")").append(to_string(a.what));
    body.append(R"(","reason":)").append(json_string(a.reason)).append(R"(,"promotion":)");
    body.append(a.promotion.empty() ? "null" : json_string(a.promotion)).append("}\n");
    return {202, "application/json", std::move(body)};
}

// A Kustomization says the same every ten minutes; that is not news.
bool is_news(const intake::receipt& r) {
    using pipeline::verdict_on_event;
    return !r.repeated && r.answer.what != verdict_on_event::duplicate &&
           r.answer.what != verdict_on_event::ignore;
}

std::string trace_id_of(const http::request& request) {
    return request.trace ? request.trace->trace_id : std::string{};
}

} // namespace

event_handler::event_handler(
    home::parts home,
    intake::intake& intake,
    const clock& clock,
    observe::registry& metrics,
    event_options options
)
    : home_(home), intake_(intake), clock_(clock), metrics_(metrics), options_(std::move(options)),
      limiter_(options_.failures), senders_(options_.senders),
      throttled_(metrics.counter(
          "sluice_events_throttled_total", "Verified events refused by the pipeline's token bucket"
      )) {
    // Each kind is there from the start, so that an alert on its rate sees the first one.
    for (const auto kind : failure_kinds) (void)failures(kind);
}

observe::counter& event_handler::failures(std::string_view kind) {
    return metrics_.counter(
        "sluice_auth_failures_total",
        "Requests that were not believed, by kind",
        {{"kind", std::string{kind}}}
    );
}

event_handler::speaker
event_handler::speaker_at(std::string_view ns, std::string_view name, std::string_view env) const {
    speaker who;
    who.pipeline = home_.pipelines.find(ns, name);
    if (!who.pipeline) return who;
    if (const auto* environment = who.pipeline->find(env)) {
        who.secret = who.pipeline->event_secret(*environment);
    } else if (who.pipeline->promotion) {
        // An environment that is not there: whoever holds the pipeline's own key is told so, nobody else.
        who.secret = who.pipeline->promotion->strategy.secret;
    }
    who.may_be_unsigned =
        !who.secret && options_.allow_unsigned.contains(who.pipeline->name.text());
    return who;
}

event_handler::belief event_handler::verify(
    const http::request& request, const speaker& who, const home::secret_ptr& secret
) {
    if (who.may_be_unsigned) {
        const std::string_view parts[] = {request.body};
        auth::verified unsigned_body;
        unsigned_body.digest = auth::sha256(parts);
        return unsigned_body;
    }
    key_ring_ptr ring;
    if (secret) ring = rings_.ring_of(who.pipeline->name.ns, *who.secret, *secret);
    const bool usable = ring && !ring->empty();
    // Without a key the same work is done against a decoy: time must not tell which pipelines exist.
    const auto& keys = usable ? *ring : auth::key_ring::decoy();
    auto verdict = auth::verify(signature_headers_of(request), request.body, keys, clock_.now());
    if (const auto* failure = std::get_if<auth::signature_failure>(&verdict)) {
        if (!who.pipeline) return std::string_view{"unknown_pipeline"};
        if (!usable) return std::string_view{"no_key"};
        return to_string(*failure);
    }
    return std::get<auth::verified>(verdict);
}

boost::asio::awaitable<event_handler::belief>
event_handler::authenticate(const http::request& request, const speaker& who) {
    home::secret_ptr secret;
    if (who.secret) secret = home_.secrets.find(who.pipeline->name.ns, *who.secret);
    auto believed = verify(request, who, secret);
    if (std::holds_alternative<auth::verified>(believed) || !who.secret) co_return believed;

    // The key may have been rotated a moment ago. This happens inside the fixed delay of the 401.
    auto again = co_await home_.secrets.refresh(who.pipeline->name.ns, *who.secret);
    if (again && (!secret || again->generation != secret->generation)) {
        believed = verify(request, who, again);
    }
    co_return believed;
}

boost::asio::awaitable<http::response>
event_handler::refuse(http::request& request, std::string_view kind) {
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
         {"request_id", request.request_id},
         {"remedy", "compare the Provider's token with hmac-key of the pipeline's Secret"}}
    );
    request.drop_body();

    auto executor = co_await boost::asio::this_coro::executor;
    boost::asio::steady_timer timer{executor, request.received + options_.unauthorized_delay};
    boost::system::error_code cancelled;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled));

    error e = too_many ? error{errc::too_many_requests, "too many failed requests; wait a minute"}
                       : error{errc::unauthenticated, "the request could not be authenticated"};
    if (too_many) e.retry_after = 1s;
    co_return problem(e, request.request_id);
}

boost::asio::awaitable<http::response>
event_handler::post(http::request& request, const server::params& path) {
    if (!home_.pipelines.available() || !home_.secrets.available()) {
        error e{
            errc::unavailable, "the source of pipelines or secrets is unwell", "try again shortly"
        };
        e.retry_after = 1s;
        co_return problem(e, request.request_id);
    }
    const auto who = speaker_at(path["ns"], path["pipeline"], path["env"]);
    auto believed = co_await authenticate(request, who);
    if (const auto* kind = std::get_if<std::string_view>(&believed)) {
        auto refusal = co_await refuse(request, *kind);
        co_return refusal;
    }
    if (!senders_.take(who.pipeline->name.text(), std::chrono::steady_clock::now())) {
        throttled_.add();
        error e{
            errc::too_many_requests, "too many events for this pipeline; try again in a second"
        };
        e.retry_after = 1s;
        co_return problem(e, request.request_id);
    }

    intake::notice notice;
    notice.pipeline = who.pipeline;
    notice.environment = path["env"];
    notice.body = request.body;
    notice.proof = std::get<auth::verified>(believed);
    auto received = co_await intake_.receive(std::move(notice));
    if (!received) {
        if (received.error().code == errc::unauthenticated) {
            auto refusal = co_await refuse(request, "other_environment");
            co_return refusal;
        }
        log::warn(
            "event refused",
            {{"pipeline", who.pipeline->name.text()},
             {"environment", path["env"]},
             {"error", received.error().message},
             {"request_id", request.request_id},
             {"trace_id", trace_id_of(request)}}
        );
        co_return problem(received.error(), request.request_id);
    }
    log::write(
        is_news(*received) ? log::level::info : log::level::debug,
        "event accepted",
        {{"pipeline", who.pipeline->name.text()},
         {"environment", path["env"]},
         {"decision", to_string(received->answer.what)},
         {"reason", received->answer.reason},
         {"promotion", received->answer.promotion},
         {"request_id", request.request_id},
         {"trace_id", trace_id_of(request)}}
    );
    co_return accepted(received->answer);
}

} // namespace sluice::server
