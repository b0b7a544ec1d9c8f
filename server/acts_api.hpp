#pragma once

#include "base/clock.hpp"
#include "home/home.hpp"
#include "net/http.hpp"
#include "pipeline/acts.hpp"
#include "promotion/executor.hpp"
#include "server/act_request.hpp"
#include "server/router.hpp"

#include <functional>
#include <string>

namespace sluice::server {

// What people do to promotions. Served on the control socket, which only the owner of the state folder can reach.
//   POST /api/v1/promotions/{id}/approve, /reject, /cancel, /retry   {"reason":"…"}
//   POST /api/v1/promotions                                          see act_request.hpp
// The answer is {"decision","reason","promotion"}; of a dry run {"repository","baseBranch","branch","title","body","diff","remarks"}.
class acts_api {
public:
    // What promoting would do: promotion::executor::foresee.
    using foresee = std::function<boost::asio::awaitable<result<promotion::preview>>(
        pipeline::definition_ptr, std::string environment, pipeline::revision_facts
    )>;

    acts_api(home::parts home, const clock& clock, foresee look_ahead);

    using answer = boost::asio::awaitable<http::response>;
    [[nodiscard]] answer approve(http::request& request, const server::params& path);
    [[nodiscard]] answer reject(http::request& request, const server::params& path);
    [[nodiscard]] answer cancel(http::request& request, const server::params& path);
    [[nodiscard]] answer retry(http::request& request, const server::params& path);
    [[nodiscard]] answer promote(http::request& request, const server::params& path);

private:
    // Given the promotion as the ledger shows it and, inside the transaction, the records.
    using deed = std::function<result<
        pipeline::
            decision>(const pipeline::act&, const pipeline::pipeline_records&, const pipeline::promotion&)>;
    // A promotion whose Pipeline is gone can still be ended, not carried on.
    enum class needs { pipeline, nothing };
    [[nodiscard]] answer
    act(http::request& request, const server::params& path, needs what, deed how);
    [[nodiscard]] answer preview(promote_request wanted, std::string request_id);
    [[nodiscard]] pipeline::act
    act_on(const pipeline::object_name& pipeline, std::string note) const;

    home::parts home_;
    const clock& clock_;
    foresee foresee_;
};

} // namespace sluice::server
