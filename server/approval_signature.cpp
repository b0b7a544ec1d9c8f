#include "server/approval_signature.hpp"

#include "auth/bound_signature.hpp"

namespace sluice::server {
namespace {

std::vector<std::string_view> all_values(const http::request& request, std::string_view name) {
    const auto found = request.all(name);
    return {found.begin(), found.end()};
}

const auth::key_ring& usable(const key_ring_ptr& ring) {
    return ring && !ring->empty() ? *ring : auth::key_ring::decoy();
}

} // namespace

belief approval_signature::verify(
    const http::request& request,
    const speaker& who,
    const home::secret* secret,
    std::string_view secret_name
) {
    key_ring_ptr approvals;
    key_ring_ptr events;
    if (secret != nullptr) {
        const auto& ns = who.pipeline->name.ns;
        approvals = approval_keys_.ring_of(ns, secret_name, *secret);
        events = event_keys_.ring_of(ns, secret_name, *secret);
    }
    const auto signatures = all_values(request, "x-signature");
    const bool is_bound = signatures.empty() || signatures.front().starts_with("v1=");
    const bool weave_way =
        !is_bound && who.pipeline && weave_approvals_.contains(who.pipeline->name.text());
    auth::verification verdict = auth::signature_failure::missing;
    if (weave_way) {
        // Over nothing, whatever the body: an event's signature would otherwise approve what its body does not name.
        auth::signature_headers headers;
        headers.x_signature = signatures;
        verdict = auth::verify(headers, "", usable(events));
        if (!std::holds_alternative<auth::verified>(verdict))
            verdict = auth::verify(headers, "", usable(approvals));
    } else {
        verdict = auth::verify_bound(
            {all_values(request, "x-sluice-timestamp"), signatures},
            {request.method, request.path, request.body},
            usable(approvals),
            clock_.now()
        );
    }
    if (const auto* failure = std::get_if<auth::signature_failure>(&verdict)) {
        const bool no_key = !weave_way && (!approvals || approvals->empty());
        return no_key ? std::string_view{"no_key"} : to_string(*failure);
    }
    return std::get<auth::verified>(verdict);
}

} // namespace sluice::server
