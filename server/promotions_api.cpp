#include "server/promotions_api.hpp"

#include "home/promotion_json.hpp"
#include "server/problem.hpp"
#include "server/query.hpp"

#include <charconv>

namespace sluice::server {
namespace {

constexpr std::size_t largest_page = 5'000;

result<home::promotion_filter> read_filter(std::string_view query) {
    home::promotion_filter filter;
    filter.ns = query_value(query, "namespace").value_or("");
    filter.pipeline = query_value(query, "pipeline").value_or("");
    filter.environment = query_value(query, "environment").value_or("");
    filter.state = query_value(query, "state").value_or("");
    if (!filter.state.empty() && !pipeline::parse_promotion_state(filter.state)) {
        return error{
            errc::invalid_argument,
            "state: '" + filter.state +
                "' is not a state; write one as it is shown, e.g. AwaitingApproval"
        };
    }
    if (const auto text = query_value(query, "limit")) {
        const auto [end, ec] =
            std::from_chars(text->data(), text->data() + text->size(), filter.limit);
        const bool whole = ec == std::errc{} && end == text->data() + text->size();
        if (!whole || filter.limit == 0 || filter.limit > largest_page) {
            return error{
                errc::invalid_argument,
                "limit: must be a number from 1 to " + std::to_string(largest_page)
            };
        }
    }
    return filter;
}

template <class Json>
http::response json(const Json& body) {
    using error_handler = typename Json::error_handler_t;
    return {200, "application/json", body.dump(-1, ' ', false, error_handler::replace) + "\n"};
}

} // namespace

// GET /api/v1/promotions
boost::asio::awaitable<http::response>
promotions_api::list(http::request& request, const params& /*path*/) {
    auto filter = read_filter(request.query);
    if (!filter) co_return problem(filter.error(), request.request_id);
    auto found = co_await ledger_.list(std::move(*filter));
    if (!found) co_return problem(found.error(), request.request_id);
    co_return json(home::to_json(*found));
}

// GET /api/v1/promotions/{id}
boost::asio::awaitable<http::response>
promotions_api::show(http::request& request, const params& path) {
    auto found = co_await ledger_.show(std::string{path["id"]});
    if (!found) co_return problem(found.error(), request.request_id);
    co_return json(home::to_json(*found));
}

} // namespace sluice::server
