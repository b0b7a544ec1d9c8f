#include "config/source.hpp"
#include "config/suggest.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>

extern char** environ;

namespace sluice::config {
namespace {

constexpr std::string_view prefix = "SLUICE_";
// Not settings: test builds read it, the program chooses its configuration file by the other.
constexpr std::string_view reserved[] = {"SLUICE_FAILPOINTS", "SLUICE_CONFIG"};

// Kubernetes puts SLUICE_SERVICE_HOST, SLUICE_PORT_8443_TCP_ADDR and the like into each container beside a Service
// that is called sluice or sluice-something: nobody wrote them.
bool is_service_link(std::string_view name) {
    return name.ends_with("_SERVICE_HOST") ||
           name.find("_SERVICE_PORT") != std::string_view::npos || name.ends_with("_PORT") ||
           name.find("_TCP") != std::string_view::npos ||
           name.find("_UDP") != std::string_view::npos;
}

bool is_reserved(std::string_view name) {
    return std::find(std::begin(reserved), std::end(reserved), name) != std::end(reserved);
}

std::vector<std::string> split_by_comma(std::string_view text) {
    std::vector<std::string> parts;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        parts.emplace_back(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
    }
    return parts;
}

std::vector<std::string> as_written(const setting& what, const std::string& text) {
    if (std::holds_alternative<list_field>(what.field)) return split_by_comma(text);
    return {text};
}

std::string unknown_variable(const std::string& name) {
    std::vector<std::string> known;
    for (const auto& s : all_settings()) known.push_back(s.environment());
    const auto suggestion = did_you_mean(name, {known.begin(), known.end()});
    return fmt::format("environment {}: no setting of that name, ignored{}", name, suggestion);
}

} // namespace

environment_map process_environment() {
    environment_map found;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text = *entry;
        const auto equals = text.find('=');
        if (!text.starts_with(prefix) || equals == std::string_view::npos) continue;
        found.emplace(text.substr(0, equals), text.substr(equals + 1));
    }
    return found;
}

reading read_environment(const environment_map& variables) {
    reading r;
    for (const auto& [name, value] : variables) {
        if (!name.starts_with(prefix) || is_reserved(name)) continue;
        const auto named = [&](const setting& s) { return s.environment() == name; };
        const auto all = all_settings();
        const auto found = std::find_if(all.begin(), all.end(), named);
        if (found != all.end()) {
            r.assignments.push_back({&*found, as_written(*found, value), "environment " + name});
        } else if (!is_service_link(name)) {
            r.warnings.push_back(unknown_variable(name));
        }
    }
    return r;
}

reading read_flags(const flag_map& flags) {
    reading r;
    for (const auto& s : all_settings()) {
        const auto found = flags.find(s.flag);
        if (found == flags.end() || found->second.empty()) continue;
        const auto origin = "flag " + std::string{s.flag};
        if (std::holds_alternative<list_field>(s.field)) {
            std::vector<std::string> all;
            for (const auto& one : found->second) {
                const auto parts = split_by_comma(one);
                all.insert(all.end(), parts.begin(), parts.end());
            }
            r.assignments.push_back({&s, std::move(all), origin});
        } else {
            r.assignments.push_back({&s, found->second, origin});
        }
    }
    return r;
}

} // namespace sluice::config
