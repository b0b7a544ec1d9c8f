#include "promotion/strategies/foresee.hpp"

#include "pipeline/acts.hpp"
#include "promotion/strategies/desk.hpp"
#include "promotion/strategies/plan.hpp"
#include "promotion/strategies/settle.hpp"
#include "promotion/text/pull_request_text.hpp"

#include <fmt/format.h>

namespace sluice::promotion {
namespace {

// What promoting would open now: completed from the reports, and refused for what promoting is refused for.
result<pipeline::promotion> asked_for(
    const workshop& w,
    const pipeline::definition_ptr& pipeline,
    const pipeline::pipeline_records& records,
    const std::string& environment,
    const pipeline::revision_facts& facts
) {
    const pipeline::act preview{pipeline, "preview", {}, w.time.now()};
    const auto decided = pipeline::promote(preview, records, environment, facts);
    if (!decided) return decided.error();
    for (const auto& change : decided->changes) {
        const auto* opened = std::get_if<pipeline::open_promotion>(&change);
        if (opened != nullptr) return opened->promotion;
    }
    return error(
        errc::conflict, fmt::format("promoting would change nothing: {}", decided->reason)
    );
}

result<job>
imagine(const workshop& w, const pipeline::definition_ptr& pipeline, pipeline::promotion p) {
    const auto environment = p.id.environment;
    auto t = make_task(std::move(p), pipeline);
    if (!t) return error(errc::unprocessable, t.error().message);
    auto to = destination_of(*t->policy);
    if (!to) {
        return error(
            errc::unprocessable,
            fmt::format(
                "promotions into {} only notify others: there is nothing to preview", environment
            )
        );
    }
    job j;
    j.to = *to;
    j.branch = t->push() != nullptr
                   ? to->branch
                   : text::branch_name(key_of(t->promotion.id), keys_in(w, to->url));
    j.t = std::move(*t);
    j.read_by_people = true;
    return j;
}

result<preview> told(job j) {
    if (j.found == finding::failed) return j.why;
    preview seen;
    seen.diff = std::move(j.diff);
    seen.title = std::move(j.title);
    seen.body = std::move(j.body);
    seen.branch = j.branch;
    seen.base_branch = j.to.branch;
    seen.repository = without_login(j.to.url);
    seen.remarks = std::move(j.remarks);
    if (j.found == finding::unchanged) {
        seen.remarks.insert(
            seen.remarks.begin(),
            fmt::format("{} says {} already", j.to.branch, j.t.promotion.id.revision)
        );
    }
    if (j.found == finding::newer) {
        seen.remarks.insert(
            seen.remarks.begin(),
            fmt::format("{} says {}, which is newer", j.to.branch, j.work.replaced)
        );
    }
    return seen;
}

} // namespace

boost::asio::awaitable<result<preview>> foresee(
    const workshop& w,
    pipeline::definition_ptr pipeline,
    std::string environment,
    pipeline::revision_facts facts
) {
    auto records = co_await w.home.ledger.records(pipeline->name);
    if (!records) co_return records.error();
    auto asked = asked_for(w, pipeline, *records, environment, facts);
    if (!asked) co_return asked.error();
    auto imagined = imagine(w, pipeline, std::move(*asked));
    if (!imagined) co_return imagined.error();
    auto j = std::move(*imagined);
    j.records = std::move(*records);
    auto login = co_await w.login_for(pipeline->name.ns, j.to);
    if (!login) co_return login.error();

    git::remote remote;
    remote.url = j.to.url;
    remote.login = std::move(login->login);
    desk d{w, std::move(remote)};
    co_await d.take();
    std::vector<std::string> base;
    base.push_back(j.to.branch);
    auto fetched = co_await d.fetch(std::move(base));
    if (!fetched) co_return fetched.error();
    auto work = [&w, &j, &fetched](git::repository& in) {
        if (j.t.push() != nullptr) {
            tips stacked;
            plan_push(in, *fetched, w.author, stacked, j);
        } else {
            plan_pull_request(in, *fetched, w.author, j);
        }
    };
    co_await d.use(std::move(work));
    co_return told(std::move(j));
}

} // namespace sluice::promotion
