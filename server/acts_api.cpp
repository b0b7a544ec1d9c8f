#include "server/acts_api.hpp"

#include "observe/log.hpp"
#include "server/problem.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace sluice::server {
namespace {

using json = nlohmann::ordered_json;

// Who acted: whoever may open the control socket is the operator.
constexpr std::string_view operator_name = "control";

http::response told(const json& body) {
    return {
        200, "application/json", body.dump(-1, ' ', false, json::error_handler_t::replace) + "\n"
    };
}

http::response told(const pipeline::decision& d) {
    return told(json{
        {"decision", pipeline::to_string(d.what)},
        {"reason", d.reason},
        {"promotion", d.promotion ? json(d.promotion->text()) : json(nullptr)},
    });
}

error no_pipeline(const pipeline::object_name& name) {
    return {
        errc::not_found,
        fmt::format(
            "there is no pipeline {}; /readyz tells when its file cannot be read", name.text()
        )
    };
}

// What the repository or the forge said is not about this request: only what may work later is told apart.
error of_the_outside(const error& e) {
    const bool transient = e.code == errc::timed_out || e.code == errc::too_many_requests ||
                           e.code == errc::unavailable;
    return {transient ? errc::unavailable : errc::unprocessable, e.message, e.detail};
}

} // namespace

acts_api::acts_api(home::parts home, const clock& clock, foresee look_ahead)
    : home_(home), clock_(clock), foresee_(std::move(look_ahead)) {}

pipeline::act acts_api::act_on(const pipeline::object_name& pipeline, std::string note) const {
    pipeline::act a;
    a.pipeline = home_.pipelines.find(pipeline.ns, pipeline.name);
    a.who = operator_name;
    a.note = std::move(note);
    a.now = clock_.now();
    return a;
}

acts_api::answer
acts_api::act(http::request& request, const server::params& path, needs what, deed how) {
    auto reason = read_reason(request.body);
    if (!reason) co_return problem(reason.error(), request.request_id);
    auto found = co_await home_.ledger.show(std::string{path["id"]});
    if (!found) co_return problem(found.error(), request.request_id);
    const auto& id = found->promotion.id;
    auto a = act_on(id.pipeline, std::move(*reason));
    if (!a.pipeline && what == needs::pipeline)
        co_return problem(no_pipeline(id.pipeline), request.request_id);

    home::change_fn decide = [a = std::move(a), how = std::move(how), p = found->promotion](
                                 const pipeline::pipeline_records& records
                             ) { return how(a, records, p); };
    auto decided =
        co_await home_.ledger.change(id.pipeline, std::string{operator_name}, std::move(decide));
    if (!decided) co_return problem(decided.error(), request.request_id);
    if (!decided->promotion) decided->promotion = id;
    co_return told(*decided);
}

// POST /api/v1/promotions/{id}/approve
acts_api::answer acts_api::approve(http::request& request, const server::params& path) {
    return act(request, path, needs::pipeline, [](const auto& a, const auto& r, const auto& p) {
        return pipeline::approve(a, r, p.id);
    });
}

// POST /api/v1/promotions/{id}/reject
acts_api::answer acts_api::reject(http::request& request, const server::params& path) {
    return act(request, path, needs::nothing, [](const auto& a, const auto& r, const auto& p) {
        return pipeline::reject(a, r, p.id);
    });
}

// POST /api/v1/promotions/{id}/cancel
acts_api::answer acts_api::cancel(http::request& request, const server::params& path) {
    return act(request, path, needs::nothing, [](const auto& a, const auto& r, const auto& p) {
        return pipeline::cancel(a, r, p.id);
    });
}

// POST /api/v1/promotions/{id}/retry
acts_api::answer acts_api::retry(http::request& request, const server::params& path) {
    return act(request, path, needs::pipeline, [](const auto& a, const auto& r, const auto& p) {
        return pipeline::retry(a, r, p);
    });
}

// POST /api/v1/promotions
acts_api::answer acts_api::promote(http::request& request, const server::params& /*path*/) {
    auto wanted = read_promote_request(request.body);
    if (!wanted) co_return problem(wanted.error(), request.request_id);
    if (wanted->dry_run) {
        auto foreseen = co_await preview(std::move(*wanted), request.request_id);
        co_return foreseen;
    }
    const auto name = wanted->pipeline;
    auto a = act_on(name, std::move(wanted->reason));
    if (!a.pipeline) co_return problem(no_pipeline(name), request.request_id);
    home::change_fn decide = [a = std::move(a),
                              w = std::move(*wanted)](const pipeline::pipeline_records& records) {
        return pipeline::promote(a, records, w.environment, w.facts);
    };
    auto decided =
        co_await home_.ledger.change(name, std::string{operator_name}, std::move(decide));
    if (!decided) co_return problem(decided.error(), request.request_id);
    co_return told(*decided);
}

acts_api::answer acts_api::preview(promote_request wanted, std::string request_id) {
    auto pipeline = home_.pipelines.find(wanted.pipeline.ns, wanted.pipeline.name);
    if (!pipeline) co_return problem(no_pipeline(wanted.pipeline), request_id);
    auto seen = co_await foresee_(pipeline, wanted.environment, wanted.facts);
    if (!seen) co_return problem(of_the_outside(seen.error()), request_id);
    co_return told(json{
        {"repository", seen->repository},
        {"baseBranch", seen->base_branch},
        {"branch", seen->branch},
        {"title", seen->title},
        {"body", seen->body},
        {"diff", seen->diff},
        {"remarks", seen->remarks},
    });
}

} // namespace sluice::server
