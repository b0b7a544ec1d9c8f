#pragma once

#include "base/clock.hpp"
#include "net/http.hpp"
#include "server/doorkeeper.hpp"
#include "server/key_rings.hpp"

#include <set>
#include <string>
#include <string_view>

namespace sluice::server {

using pipeline_names = std::set<std::string, std::less<>>; // "namespace/name"

// Is this approval signed by who may approve? The bound form with `approval-key`; for the pipelines the operator named also
// Weave's constant form, with `hmac-key` or `approval-key`.
class approval_signature {
public:
    approval_signature(const clock& clock, pipeline_names weave_approvals)
        : clock_(clock), weave_approvals_(std::move(weave_approvals)) {}

    // As a key_check.
    [[nodiscard]] belief verify(
        const http::request& request,
        const speaker& who,
        const home::secret* secret,
        std::string_view secret_name
    );

private:
    const clock& clock_;
    pipeline_names weave_approvals_;
    key_rings approval_keys_{"approval-key"};
    key_rings event_keys_{"hmac-key"};
};

} // namespace sluice::server
