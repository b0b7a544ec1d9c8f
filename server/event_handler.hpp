#pragma once

#include "auth/failure_limiter.hpp"
#include "auth/ip_address.hpp"
#include "auth/signature.hpp"
#include "auth/token_bucket.hpp"
#include "base/clock.hpp"
#include "home/home.hpp"
#include "intake/intake.hpp"
#include "net/http.hpp"
#include "observe/metrics.hpp"
#include "server/key_rings.hpp"
#include "server/router.hpp"

#include <chrono>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::server {

struct event_options {
    // Every 401 leaves this long after the end of its request, whatever the cause, so that time tells nothing.
    std::chrono::milliseconds unauthorized_delay{250};
    // "namespace/name" of the pipelines that may go without a key; all others without one are refused.
    std::set<std::string, std::less<>> allow_unsigned;
    // Proxies whose X-Forwarded-For is believed.
    std::vector<auth::ip_network> trusted_proxies;
    auth::failure_limits failures;
    auth::bucket_limits senders;
};

// POST /{ns}/{pipeline}/{env} and POST /promotion/{ns}/{pipeline}/{env}: Flux events and CI triggers.
class event_handler {
public:
    event_handler(
        home::parts home,
        intake::intake& intake,
        const clock& clock,
        observe::registry& metrics,
        event_options options
    );

    [[nodiscard]] boost::asio::awaitable<http::response>
    post(http::request& request, const server::params& path);

private:
    // Whose keys may speak at a path. All of it is empty for a pipeline that does not exist.
    struct speaker {
        pipeline::definition_ptr pipeline;
        std::optional<std::string> secret; // name of the Secret with the keys
        bool may_be_unsigned = false;
    };
    using belief = std::variant<auth::verified, std::string_view>; // or the kind of failure

    [[nodiscard]] speaker
    speaker_at(std::string_view ns, std::string_view name, std::string_view env) const;
    [[nodiscard]] belief
    verify(const http::request& request, const speaker& who, const home::secret_ptr& secret);
    [[nodiscard]] boost::asio::awaitable<belief>
    authenticate(const http::request& request, const speaker& who);
    [[nodiscard]] boost::asio::awaitable<http::response>
    refuse(http::request& request, std::string_view kind);
    [[nodiscard]] observe::counter& failures(std::string_view kind);

    home::parts home_;
    intake::intake& intake_;
    const clock& clock_;
    observe::registry& metrics_;
    event_options options_;
    key_rings rings_{"hmac-key"};
    auth::failure_limiter limiter_;
    auth::token_buckets senders_;
    observe::counter& throttled_;
};

} // namespace sluice::server
