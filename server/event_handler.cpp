#include "server/event_handler.hpp"

#include "auth/digest.hpp"
#include "base/failpoint.hpp"
#include "observe/log.hpp"
#include "server/problem.hpp"
#include "server/request_fields.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace sluice::server {
namespace {

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

constexpr std::string_view remedy =
    "compare the Provider's token with hmac-key of the pipeline's Secret";

bool needs_escape(char c) {
    return static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e ||
           c == '"' || c == '\\';
}

void append_json_string(std::string& to, std::string_view text) {
    if (std::ranges::none_of(text, needs_escape)) {
        to.append(1, '"').append(text).append(1, '"'); // nearly always
    } else {
        using nlohmann::json;
        to += json(text).dump(-1, ' ', false, json::error_handler_t::replace);
    }
}

// {"decision":"…","reason":"…","promotion":"…"|null}
http::response accepted(const home::acceptance& a) {
    std::string body;
    body.reserve(96 + a.reason.size() + a.promotion.size());
    body.append(R"({"decision":")").append(to_string(a.what)).append(R"(","reason":)");
    append_json_string(body, a.reason);
    body.append(R"(,"promotion":)");
    if (a.promotion.empty())
        body.append("null");
    else
        append_json_string(body, a.promotion);
    body.append("}\n");
    return {202, "application/json", std::move(body)};
}

// A Kustomization says the same every ten minutes; that is not news.
bool is_news(const intake::receipt& r) {
    using pipeline::verdict_on_event;
    return !r.repeated && r.answer.what != verdict_on_event::duplicate &&
           r.answer.what != verdict_on_event::ignore;
}

} // namespace

event_handler::event_handler(doorkeeper& door, intake::intake& intake, event_options options)
    : door_(door), intake_(intake), options_(std::move(options)) {}

belief event_handler::verify(
    const http::request& request,
    const speaker& who,
    const home::secret* secret,
    std::string_view secret_name
) {
    const bool may_be_unsigned = who.pipeline && who.secrets.empty() &&
                                 options_.allow_unsigned.contains(who.pipeline->name.text());
    if (may_be_unsigned) {
        const std::string_view parts[] = {request.body};
        auth::verified unsigned_body;
        unsigned_body.digest = auth::sha256(parts);
        return unsigned_body;
    }
    key_ring_ptr ring;
    if (secret != nullptr) ring = rings_.ring_of(who.pipeline->name.ns, secret_name, *secret);
    const bool usable = ring && !ring->empty();
    const auto& keys = usable ? *ring : auth::key_ring::decoy();
    auto verdict = auth::verify(signature_headers_of(request), request.body, keys);
    if (const auto* failure = std::get_if<auth::signature_failure>(&verdict)) {
        return usable ? to_string(*failure) : std::string_view{"no_key"};
    }
    return std::get<auth::verified>(verdict);
}

boost::asio::awaitable<http::response>
event_handler::post(http::request& request, const server::params& path) {
    failpoint("server.event");
    if (auto closed = door_.closed(request)) co_return std::move(*closed);
    const auto who = door_.of_environment(path["ns"], path["pipeline"], path["env"]);
    key_check check = [&](const home::secret* secret, std::string_view name) {
        return verify(request, who, secret, name);
    };
    auto believed = co_await door_.authenticate(request, who, std::move(check));
    if (const auto* kind = std::get_if<std::string_view>(&believed)) {
        auto refusal = co_await door_.refuse(request, *kind, remedy);
        co_return refusal;
    }
    if (auto wait = door_.throttled(request, *who.pipeline)) co_return std::move(*wait);
    auto& proof = std::get<auth::verified>(believed);
    auto answer = co_await take(request, who, std::string{path["env"]}, proof);
    co_return answer;
}

boost::asio::awaitable<http::response> event_handler::take(
    http::request& request, const speaker& who, std::string environment, auth::verified proof
) {
    intake::notice notice;
    notice.pipeline = who.pipeline;
    notice.environment = environment;
    notice.body = request.body;
    notice.proof = proof;
    auto received = co_await intake_.receive(std::move(notice));
    if (!received) {
        if (received.error().code == errc::unauthenticated) {
            auto refusal = co_await door_.refuse(request, "other_environment", remedy);
            co_return refusal;
        }
        log::warn(
            "event refused",
            {{"pipeline", who.pipeline->name.text()},
             {"environment", environment},
             {"error", received.error().message},
             request_id_of(request),
             trace_id_of(request)}
        );
        co_return problem(received.error(), request.request_id);
    }
    log::write(
        is_news(*received) ? log::level::info : log::level::debug,
        "event accepted",
        {{"pipeline", who.pipeline->name.text()},
         {"environment", environment},
         {"decision", to_string(received->answer.what)},
         {"reason", received->answer.reason},
         {"promotion", received->answer.promotion},
         request_id_of(request),
         trace_id_of(request)}
    );
    co_return accepted(received->answer);
}

} // namespace sluice::server
