#pragma once

#include "auth/failure_limiter.hpp"
#include "auth/ip_address.hpp"
#include "auth/signature.hpp"
#include "auth/token_bucket.hpp"
#include "home/home.hpp"
#include "net/http.hpp"
#include "observe/metrics.hpp"

#include <boost/asio/awaitable.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sluice::server {

struct door_options {
    // Every 401 leaves this long after the end of its request, whatever the cause, so that time tells nothing.
    std::chrono::milliseconds unauthorized_delay{250};
    // Proxies whose X-Forwarded-For is believed.
    std::vector<auth::ip_network> trusted_proxies;
    auth::failure_limits failures;
    auth::bucket_limits senders;
};

// Whose keys may speak at a path. All of it is empty for a pipeline that does not exist.
struct speaker {
    pipeline::definition_ptr pipeline;
    std::vector<std::string> secrets; // names of the Secrets with the keys; any of them is enough

    speaker() = default;
};

// What a check of one Secret came to: a proof, or the kind of failure, which is told to metrics and logs only.
using belief = std::variant<auth::verified, std::string_view>;
// Asked for each Secret that is there, else once with none: then it does the same work against a decoy, so that time does
// not tell which pipelines exist.
using key_check = std::function<belief(const home::secret* secret, std::string_view name)>;

// Stands before every handler whose callers sign: one way to be believed, one way to be refused.
class doorkeeper {
public:
    doorkeeper(home::parts home, observe::registry& metrics, door_options options);

    // 503 while the source of pipelines or secrets is unwell, for known and unknown alike.
    [[nodiscard]] std::optional<http::response> closed(const http::request& request) const;
    // Those who hold the event keys of an environment. One that is not there is the pipeline's own key holders' to hear of.
    [[nodiscard]] speaker
    of_environment(std::string_view ns, std::string_view name, std::string_view environment) const;
    // Those who hold the approval keys of the environment a promotion goes to.
    [[nodiscard]] speaker
    of_approvers(std::string_view ns, std::string_view name, std::string_view environment) const;
    // Those who hold the credentials of the pipeline's repositories.
    [[nodiscard]] speaker of_repositories(std::string_view ns, std::string_view name) const;

    // Reads the Secrets again when no key fits, since one may have been rotated a moment ago: inside the fixed delay of the 401.
    // The request and what `check` refers to outlive the wait: the handler awaits it in place.
    [[nodiscard]] boost::asio::awaitable<belief>
    authenticate(const http::request& request, speaker who, key_check check);

    // The one 401, at its fixed delay; 429 for an address that fails too often.
    [[nodiscard]] boost::asio::awaitable<http::response>
    refuse(http::request& request, std::string_view kind, std::string_view remedy);

    // 429 for a verified sender that is over the pipeline's rate.
    [[nodiscard]] std::optional<http::response>
    throttled(const http::request& request, const pipeline::definition& pipeline);

private:
    using secret_of =
        std::optional<std::string> (pipeline::definition::*)(const pipeline::environment&) const;
    [[nodiscard]] speaker holders(
        std::string_view ns, std::string_view name, std::string_view environment, secret_of which
    ) const;
    [[nodiscard]] belief try_all(const speaker& who, const key_check& check) const;
    // What the Secrets hold now: 0 where there is none.
    [[nodiscard]] std::vector<std::uint64_t> generations(const speaker& who) const;
    [[nodiscard]] observe::counter& failures(std::string_view kind);

    home::parts home_;
    observe::registry& metrics_;
    door_options options_;
    auth::failure_limiter limiter_;
    auth::token_buckets senders_;
    observe::counter& throttled_;
};

} // namespace sluice::server
