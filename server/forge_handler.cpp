#include "server/forge_handler.hpp"

#include "observe/log.hpp"
#include "server/forge_signature.hpp"
#include "server/request_fields.hpp"

namespace sluice::server {
namespace {

constexpr std::string_view remedy =
    "compare the webhook's secret with forge-webhook-key (GitLab: gitlab-token) of the "
    "repository's Secret";

} // namespace

forge_handler::forge_handler(doorkeeper& door, const clock& clock, look_again look)
    : door_(door), clock_(clock), look_again_(std::move(look)) {}

belief forge_handler::verify(
    const http::request& request,
    const speaker& who,
    const home::secret* secret,
    std::string_view secret_name
) {
    key_ring_ptr ring;
    if (secret != nullptr) ring = keys_.ring_of(who.pipeline->name.ns, secret_name, *secret);
    const auto& keys = ring && !ring->empty() ? *ring : auth::key_ring::decoy();
    const auto verdict = verify_webhook(request, secret, keys, clock_.now());
    if (const auto* failure = std::get_if<auth::signature_failure>(&verdict))
        return to_string(*failure);
    return std::get<auth::verified>(verdict);
}

boost::asio::awaitable<http::response>
forge_handler::post(http::request& request, const server::params& path) {
    if (auto closed = door_.closed(request)) co_return std::move(*closed);
    const auto who = door_.of_repositories(path["ns"], path["pipeline"]);
    key_check check = [&](const home::secret* secret, std::string_view name) {
        return verify(request, who, secret, name);
    };
    auto believed = co_await door_.authenticate(request, who, std::move(check));
    if (const auto* kind = std::get_if<std::string_view>(&believed)) {
        auto refusal = co_await door_.refuse(request, *kind, remedy);
        co_return refusal;
    }
    if (auto wait = door_.throttled(request, *who.pipeline)) co_return std::move(*wait);
    log::debug(
        "the forge told of a change",
        {{"pipeline", who.pipeline->name.text()}, request_id_of(request), trace_id_of(request)}
    );
    look_again_(who.pipeline->name);
    co_return http::response{202, "application/json", "{\"accepted\":true}\n"};
}

} // namespace sluice::server
