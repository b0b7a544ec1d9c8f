#pragma once

#include "auth/signature.hpp"
#include "base/clock.hpp"
#include "home/ledger.hpp"
#include "observe/metrics.hpp"

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

// The one door through which evidence enters: what the server verified, and later what a watcher saw.
namespace sluice::intake {

struct options {
    // How far a signed time, of the event or of its signature, may be from ours. A replay inside it is a duplicate, outside it is
    // stale.
    std::chrono::milliseconds freshness = std::chrono::minutes{10};
};

// A verified message. `body` must live until receive() is done.
struct notice {
    pipeline::definition_ptr pipeline;
    std::string environment;
    std::string_view body;
    auth::verified proof;
};

struct receipt {
    home::acceptance answer;
    bool repeated = false; // the same bytes as before: this is the first answer again
};

class intake {
public:
    intake(home::ledger& ledger, const clock& clock, observe::registry& metrics, options o);

    // Durable when it answers. Errors: invalid_argument (cannot be read), unprocessable (contradicts the Pipeline), stale,
    // unauthenticated (these bytes were signed for another environment), unavailable.
    [[nodiscard]] boost::asio::awaitable<result<receipt>> receive(notice n);

private:
    [[nodiscard]] outcome check_freshness(time_point signed_at, time_point now) const;
    [[nodiscard]] outcome
    check_environment(const notice& n, const std::optional<home::recollection>& seen) const;

    home::ledger& ledger_;
    const clock& clock_;
    options options_;
    std::array<observe::counter*, 5> decisions_{}; // by verdict_on_event
    observe::counter& repeated_;
};

} // namespace sluice::intake
