#include "intake/intake.hpp"

#include "auth/digest.hpp"
#include "base/duration.hpp"
#include "base/rfc3339.hpp"
#include "pipeline/trigger.hpp"

namespace sluice::intake {
namespace {

using pipeline::verdict_on_event;

constexpr std::string_view decisions_name = "sluice_event_decisions_total";
constexpr std::string_view decisions_help = "Verified events by what was decided";

constexpr verdict_on_event all_verdicts[] = {
    verdict_on_event::promote,
    verdict_on_event::await_approval,
    verdict_on_event::record,
    verdict_on_event::ignore,
    verdict_on_event::duplicate,
};

} // namespace

intake::intake(home::ledger& ledger, const clock& clock, observe::registry& metrics, options o)
    : ledger_(ledger), clock_(clock), options_(o),
      repeated_(metrics.counter(decisions_name, decisions_help, {{"decision", "repeated"}})) {
    for (const auto v : all_verdicts) {
        decisions_[static_cast<std::size_t>(v)] = &metrics.counter(
            decisions_name, decisions_help, {{"decision", std::string{to_string(v)}}}
        );
    }
}

outcome intake::check_freshness(time_point signed_at, time_point now) const {
    const auto age = now - signed_at;
    if (age <= options_.freshness && -age <= options_.freshness) return {};
    return error{
        errc::stale,
        "the event was signed at " + format_rfc3339(signed_at) + " and it is now " +
            format_rfc3339(now) + ": outside the window of " + format_duration(options_.freshness) +
            "; check the clocks of both sides, or send a fresh event"
    };
}

outcome
intake::check_environment(const notice& n, const std::optional<home::recollection>& seen) const {
    // What came with two signatures is known by its body, and may come again with only the one that covers a time.
    std::optional<home::recollection> by_body;
    if (!seen && n.proof.signed_at) {
        const std::string_view body[] = {n.body};
        by_body = ledger_.recall(n.pipeline->name, auth::sha256(body));
    }
    const auto& known = seen ? seen : by_body;
    if (!known || known->environment == n.environment) return {};
    return error{
        errc::unauthenticated,
        "the same signed bytes were accepted for environment " + known->environment
    };
}

boost::asio::awaitable<result<receipt>> intake::receive(notice n) {
    const auto now = clock_.now();
    auto seen = ledger_.recall(n.pipeline->name, n.proof.digest);
    if (auto ours = check_environment(n, seen); !ours) co_return ours.error();
    if (n.proof.signed_at) {
        if (auto fresh = check_freshness(*n.proof.signed_at, now); !fresh) co_return fresh.error();
    }
    if (seen) {
        if (auto fresh = check_freshness(seen->signed_at, now); !fresh) co_return fresh.error();
        repeated_.add();
        co_return receipt{std::move(seen->answer), /*repeated=*/true};
    }

    auto event = pipeline::parse_event(n.body, n.proof.signed_at);
    if (!event) co_return std::move(event).error();
    if (auto fresh = check_freshness(event->signed_at, now); !fresh) co_return fresh.error();

    auto arrival = pipeline::match(n.pipeline, n.environment, std::move(*event));
    if (!arrival) co_return std::move(arrival).error();

    // The ledger writes and `decide` reads the same event: on its way to the disk it is never copied.
    const auto whole = std::make_shared<const pipeline::arrival>(std::move(*arrival));
    home::submission submission;
    submission.pipeline = n.pipeline->name;
    submission.environment = n.environment;
    submission.digest = n.proof.digest;
    submission.event = {whole, &whole->event};
    submission.received_at = now;
    const auto horizon = now + options_.freshness;
    home::decide_fn decide = [whole, now, horizon](const pipeline::pipeline_records& r) {
        return pipeline::decide(*whole, r, now, horizon);
    };
    auto accepted = co_await ledger_.accept(std::move(submission), std::move(decide));
    if (!accepted) co_return std::move(accepted).error();
    decisions_[static_cast<std::size_t>(accepted->what)]->add();
    co_return receipt{std::move(*accepted), /*repeated=*/false};
}

} // namespace sluice::intake
