#pragma once

#include "base/clock.hpp"
#include "home/home.hpp"
#include "net/http.hpp"
#include "server/approval_signature.hpp"
#include "server/doorkeeper.hpp"
#include "server/router.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace sluice::server {

struct approval_options {
    // "namespace/name" of the pipelines that may be approved the Weave way: one constant signature with hmac-key, good for
    // every environment and revision, for ever. All others need the bound form.
    pipeline_names weave_approvals;
    // How long the answer waits for the pull request, whose address it tells.
    std::chrono::milliseconds wait{5'000};
};

// POST /approval/{ns}/{pipeline}/{env}/{revision}: a program approves what waits for `env`, where it goes.
class approval_handler {
public:
    approval_handler(
        doorkeeper& door, home::ledger& ledger, const clock& clock, approval_options options
    );

    [[nodiscard]] boost::asio::awaitable<http::response>
    post(http::request& request, const server::params& path);

private:
    [[nodiscard]] boost::asio::awaitable<result<pipeline::promotion_id>>
    approve(pipeline::definition_ptr pipeline, std::string environment, std::string revision);
    // Which error tells best why nothing waits there: superseded, ended, or never heard of.
    [[nodiscard]] boost::asio::awaitable<error> why_nothing_waits(pipeline::promotion_id wanted);
    [[nodiscard]] boost::asio::awaitable<http::response>
    answer(pipeline::promotion_id approved, std::string request_id);

    doorkeeper& door_;
    home::ledger& ledger_;
    const clock& clock_;
    std::chrono::milliseconds wait_;
    approval_signature keys_;
};

} // namespace sluice::server
