#include "server/approval_handler.hpp"

#include "net/url.hpp"
#include "observe/log.hpp"
#include "pipeline/acts.hpp"
#include "server/problem.hpp"
#include "server/request_fields.hpp"

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sluice::server {
namespace {

using namespace std::chrono_literals;
using pipeline::promotion_state;

constexpr std::string_view remedy =
    "sign with approval-key of the environment's Secret: sluice sign --scheme bound";
constexpr std::string_view actor = "approval-key";
constexpr auto look_every = 50ms;

// Nothing more can come of waiting: it is done, it ended, or it waits for something else.
bool has_settled(const pipeline::promotion& p) {
    switch (p.state) {
    case promotion_state::pending:
    case promotion_state::running: return p.retry_at.has_value();
    case promotion_state::awaiting_approval: return false;
    default: return true;
    }
}

bool has_pull_request(const pipeline::promotion& p) {
    return p.work.pull_request && !p.work.pull_request->url.empty() &&
           !pipeline::still_waits(p.state);
}

// 201 and an empty body, as Weave's user interface reads it.
http::response created(const pipeline::promotion& p) {
    http::response answer{201, "text/plain", ""};
    answer.headers.emplace_back("Location", p.work.pull_request->url);
    return answer;
}

http::response on_its_way(const pipeline::promotion& p) {
    const auto url = "/api/v1/promotions/" + net::encode_component(p.id.text());
    const nlohmann::ordered_json body{
        {"decision", "promote"},
        {"reason", p.message},
        {"promotion", p.id.text()},
        {"state", pipeline::to_string(p.state)},
        {"url", url},
    };
    using error_handler = nlohmann::ordered_json::error_handler_t;
    http::response answer{
        202, "application/json", body.dump(-1, ' ', false, error_handler::replace) + "\n"
    };
    answer.headers.emplace_back("Location", url);
    return answer;
}

// The newest attempt at this revision that the records still know.
const pipeline::attempt*
find_attempt(const pipeline::environment_record& into, const std::string& revision) {
    const pipeline::attempt* newest = nullptr;
    for (const auto& a : into.attempts) {
        const bool named =
            a.id.revision == revision && a.id.kind == pipeline::promotion_kind::promotion;
        if (named && (newest == nullptr || a.id.attempt > newest->id.attempt)) newest = &a;
    }
    return newest;
}

} // namespace

approval_handler::approval_handler(
    doorkeeper& door, home::ledger& ledger, const clock& clock, approval_options options
)
    : door_(door), ledger_(ledger), clock_(clock), wait_(options.wait),
      keys_(clock, std::move(options.weave_approvals)) {}

boost::asio::awaitable<http::response>
approval_handler::post(http::request& request, const server::params& path) {
    if (auto closed = door_.closed(request)) co_return std::move(*closed);
    const auto who = door_.of_approvers(path["ns"], path["pipeline"], path["env"]);
    key_check check = [&](const home::secret* secret, std::string_view name) {
        return keys_.verify(request, who, secret, name);
    };
    auto believed = co_await door_.authenticate(request, who, std::move(check));
    if (const auto* kind = std::get_if<std::string_view>(&believed)) {
        auto refusal = co_await door_.refuse(request, *kind, remedy);
        co_return refusal;
    }
    if (auto wait = door_.throttled(request, *who.pipeline)) co_return std::move(*wait);

    std::string environment{path["env"]};
    std::string revision{path["revision"]};
    auto approved = co_await approve(who.pipeline, environment, revision);
    log::info(
        approved ? "approved" : "approval refused",
        {{"pipeline", who.pipeline->name.text()},
         {"environment", environment},
         {"revision", revision},
         {"error", approved ? "" : approved.error().message},
         request_id_of(request),
         trace_id_of(request)}
    );
    if (!approved) co_return problem(approved.error(), request.request_id);
    auto told = co_await answer(std::move(*approved), request.request_id);
    co_return told;
}

boost::asio::awaitable<result<pipeline::promotion_id>> approval_handler::approve(
    pipeline::definition_ptr pipeline, std::string environment, std::string revision
) {
    if (pipeline->find(environment) == nullptr) {
        co_return error{
            errc::unprocessable,
            fmt::format("pipeline {} has no environment {}", pipeline->name.text(), environment)
        };
    }
    pipeline::promotion_id wanted;
    wanted.pipeline = pipeline->name;
    wanted.environment = environment;
    wanted.revision = revision;
    pipeline::act a;
    a.pipeline = pipeline;
    a.who = actor;
    a.now = clock_.now();
    home::change_fn decide = [a, wanted](const pipeline::pipeline_records& records
                             ) -> result<pipeline::decision> {
        const auto into = records.find(wanted.environment);
        const auto* known =
            into == records.end() ? nullptr : find_attempt(into->second, wanted.revision);
        if (known == nullptr) return error{errc::not_found, "nothing waits"};
        auto decided = pipeline::approve(a, records, known->id);
        if (decided) decided->promotion = known->id;
        return decided;
    };
    auto decided = co_await ledger_.change(pipeline->name, std::string{actor}, std::move(decide));
    if (decided) co_return *decided->promotion;
    if (decided.error().code != errc::not_found) co_return decided.error();
    error why = co_await why_nothing_waits(std::move(wanted));
    co_return why;
}

boost::asio::awaitable<error> approval_handler::why_nothing_waits(pipeline::promotion_id wanted) {
    home::promotion_filter filter;
    filter.ns = wanted.pipeline.ns;
    filter.pipeline = wanted.pipeline.name;
    filter.environment = wanted.environment;
    auto past = co_await ledger_.list(std::move(filter));
    if (!past) co_return past.error();
    // Newest first.
    const auto found = std::ranges::find(*past, wanted.revision, [](const pipeline::promotion& p) {
        return p.id.revision;
    });
    if (found != past->end()) {
        co_return error{
            errc::conflict,
            fmt::format(
                "{} is {} and cannot be approved: {}",
                found->id.text(),
                pipeline::to_string(found->state),
                found->message
            )
        };
    }
    const auto waiting =
        std::ranges::find(*past, promotion_state::awaiting_approval, &pipeline::promotion::state);
    co_return error{
        errc::unprocessable,
        fmt::format(
            "nothing waits in {} with the revision {}; {}",
            wanted.environment,
            wanted.revision,
            waiting == past->end() ? std::string{"nothing waits there at all"}
                                   : "waiting is " + waiting->id.revision
        )
    };
}

boost::asio::awaitable<http::response>
approval_handler::answer(pipeline::promotion_id approved, std::string request_id) {
    const auto executor = co_await boost::asio::this_coro::executor;
    const auto until = std::chrono::steady_clock::now() + wait_;
    boost::asio::steady_timer timer{executor};
    while (true) {
        auto now = co_await ledger_.show(approved.text());
        if (!now) co_return problem(now.error(), request_id);
        const auto& p = now->promotion;
        if (has_pull_request(p)) co_return created(p);
        if (has_settled(p) || std::chrono::steady_clock::now() >= until) co_return on_its_way(p);
        timer.expires_after(look_every);
        boost::system::error_code cancelled;
        co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, cancelled)
        );
        if (cancelled) co_return on_its_way(p);
    }
}

} // namespace sluice::server
