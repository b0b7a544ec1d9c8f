#include "server/dispatch.hpp"

#include "observe/log.hpp"
#include "server/problem.hpp"
#include "server/request_fields.hpp"

#include <exception>
#include <string>

namespace sluice::server {

namespace asio = boost::asio;

namespace {

std::string what(const std::exception_ptr& escaped) {
    try {
        std::rethrow_exception(escaped);
    } catch (const std::exception& e) {
        return e.what();
    } catch (...) {
        return "an exception of an unknown type";
    }
}

http::response unrouted(const route_match& found, std::string_view request_id) {
    if (found.kind == routing::malformed) {
        return problem(
            {errc::invalid_argument, "The path has a broken percent-escape."}, request_id
        );
    }
    if (found.kind == routing::method_not_allowed) {
        auto answer =
            problem({errc::method_not_allowed, "Use one of: " + found.allow + "."}, request_id);
        answer.headers.emplace_back("Allow", found.allow);
        return answer;
    }
    return problem({errc::not_found, "There is no such path."}, request_id);
}

} // namespace

asio::awaitable<http::response>
dispatch(endpoint& where, http::request& request, route_metrics*& counted_as) {
    const auto found = where.routes->match(request.method, request.path);
    if (found.kind != routing::matched) co_return unrouted(found, request.request_id);
    counted_as = &where.metrics[found.index];
    const auto& route = where.routes->routes()[found.index];
    std::exception_ptr escaped;
    try {
        http::response answer = co_await route.handler(request, found.params);
        co_return answer;
    } catch (...) {
        escaped = std::current_exception();
    }
    const std::string cause = what(escaped);
    log::error(
        "a handler failed; this is a bug",
        {{"route", route.name}, request_id_of(request), trace_id_of(request), {"cause", cause}}
    );
    co_return problem({errc::internal, cause}, request.request_id);
}

} // namespace sluice::server
