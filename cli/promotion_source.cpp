#include "cli/promotion_source.hpp"

#include "cli/control.hpp"
#include "embedded/ledger_reader.hpp"
#include "embedded/state_folder.hpp"
#include "home/promotion_json.hpp"
#include "net/url.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <string_view>

namespace sluice::cli {
namespace {

namespace fs = std::filesystem;
using json = nlohmann::ordered_json;

constexpr std::string_view route = "/api/v1/promotions";

result<std::unique_ptr<embedded::ledger_reader>> open_ledger(const fs::path& state) {
    return embedded::ledger_reader::open(embedded::state_folder::database_in(state));
}

} // namespace

std::string list_target(const home::promotion_filter& filter) {
    std::string target = fmt::format("{}?limit={}", route, filter.limit);
    const auto add = [&](std::string_view name, const std::string& value) {
        if (!value.empty()) target += fmt::format("&{}={}", name, net::encode_component(value));
    };
    add("namespace", filter.ns);
    add("pipeline", filter.pipeline);
    add("environment", filter.environment);
    add("state", filter.state);
    return target;
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
    if (auto answer = ask_server(state, promotion_target(id))) return std::move(*answer);
    const auto reader = open_ledger(state);
    if (!reader) return reader.error();
    const auto found = (*reader)->show(id);
    if (!found) return found.error();
    return home::to_json(*found);
}

} // namespace sluice::cli
