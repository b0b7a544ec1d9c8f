#include "cli/control.hpp"

#include "net/unix_http_client.hpp"
#include "net/url.hpp"

#include <fmt/format.h>

#include <filesystem>

namespace sluice::cli {
namespace {

using json = nlohmann::ordered_json;

std::string socket_in(const std::string& state) {
    return std::filesystem::path{state} / "control.sock";
}

errc code_of(int status) {
    switch (status) {
    case 400: return errc::invalid_argument;
    case 404: return errc::not_found;
    case 409: return errc::conflict;
    case 422: return errc::unprocessable;
    default: return errc::unavailable;
    }
}

// What the server said went wrong, from its problem document.
error refusal(const net::unix_response& answer) {
    const auto problem = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
    const bool told =
        problem.is_object() && problem.contains("detail") && problem["detail"].is_string();
    return {
        code_of(answer.status),
        told ? problem["detail"].get<std::string>()
             : fmt::format("the server answered {}", answer.status),
    };
}

result<json> read(const net::unix_response& answer) {
    if (answer.status / 100 != 2) return refusal(answer);
    auto body = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
    if (body.is_discarded()) return error{errc::unavailable, "the server's answer is not JSON"};
    return body;
}

} // namespace

std::optional<result<json>> ask_server(const std::string& state, const std::string& target) {
    const auto answer = net::get_over_unix_socket(socket_in(state), target, control_patience);
    if (!answer && answer.error().code == errc::not_found) return std::nullopt;
    if (!answer) return answer.error();
    return read(*answer);
}

result<json> tell_server(
    const std::string& state,
    const std::string& target,
    const json& body,
    std::chrono::milliseconds within
) {
    net::unix_request request;
    request.method = "POST";
    request.target = target;
    request.body = body.dump(-1, ' ', false, json::error_handler_t::replace);
    const auto answer = net::send_over_unix_socket(socket_in(state), request, within);
    if (!answer && answer.error().code == errc::not_found) {
        return error{
            errc::not_found,
            fmt::format(
                "no server runs on {0}; name its state folder with --state, or start it with "
                "sluice "
                "serve --state {0}",
                state
            )
        };
    }
    if (!answer) return answer.error();
    return read(*answer);
}

std::string promotion_target(const std::string& id) {
    return "/api/v1/promotions/" + net::encode_component(id);
}

} // namespace sluice::cli
