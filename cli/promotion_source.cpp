#include "cli/promotion_source.hpp"

#include "embedded/ledger_reader.hpp"
#include "embedded/state_folder.hpp"
#include "home/promotion_json.hpp"
#include "net/unix_http_client.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <optional>
#include <string_view>

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds patience{10'000};
constexpr std::string_view route = "/api/v1/promotions";

std::string percent_encoded(std::string_view text) {
    constexpr std::string_view plain =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~";
    std::string out;
    for (const char c : text) {
        if (plain.find(c) != std::string_view::npos) {
            out += c;
        } else {
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
        }
    }
    return out;
}

// What the server said went wrong, from its problem document.
error refusal(const net::unix_response& answer) {
    const auto problem = json::parse(answer.body, nullptr, /*allow_exceptions=*/false);
    const bool told =
        problem.is_object() && problem.contains("detail") && problem["detail"].is_string();
    return {
        answer.status == 404 ? errc::not_found : errc::unavailable,
        told ? problem["detail"].get<std::string>()
             : fmt::format("the server answered {}", answer.status),
    };
}

// Nothing when no server runs on this state folder.
std::optional<result<json>> ask_server(const fs::path& state, const std::string& target) {
    const auto answer = net::get_over_unix_socket(state / "control.sock", target, patience);
    if (!answer && answer.error().code == errc::not_found) return std::nullopt;
    if (!answer) return answer.error();
    if (answer->status != 200) return refusal(*answer);
    auto body = json::parse(answer->body, nullptr, /*allow_exceptions=*/false);
    if (body.is_discarded()) return error{errc::unavailable, "the server's answer is not JSON"};
    return body;
}

result<std::unique_ptr<embedded::ledger_reader>> open_ledger(const fs::path& state) {
    return embedded::ledger_reader::open(embedded::state_folder::database_in(state));
}

} // namespace

std::string list_target(const home::promotion_filter& filter) {
    std::string target = fmt::format("{}?limit={}", route, filter.limit);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) target += fmt::format("&{}={}", name, percent_encoded(value));
    };
    add("namespace", filter.ns);
    add("pipeline", filter.pipeline);
    add("environment", filter.environment);
    add("state", filter.state);
    return target;
}

std::string show_target(const std::string& id) {
    return fmt::format("{}/{}", route, percent_encoded(id));
}

result<json> list_promotions(const std::string& state, const home::promotion_filter& filter) {
    if (auto answer = ask_server(state, list_target(filter))) return std::move(*answer);
    const auto reader = open_ledger(state);
    if (!reader) return reader.error();
    const auto found = (*reader)->list(filter);
    if (!found) return found.error();
    return home::to_json(*found);
}

result<json> show_promotion(const std::string& state, const std::string& id) {
    if (auto answer = ask_server(state, show_target(id))) return std::move(*answer);
    const auto reader = open_ledger(state);
    if (!reader) return reader.error();
    const auto found = (*reader)->show(id);
    if (!found) return found.error();
    return home::to_json(*found);
}

} // namespace sluice::cli
