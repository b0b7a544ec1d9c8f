#include "lint/lint.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace sluice::lint {
namespace {

std::string_view name_of(severity s) {
    return s == severity::error ? "error" : "warning";
}

} // namespace

bool report::has_errors() const {
    return std::ranges::find(findings, severity::error, &finding::severity) != findings.end();
}

std::string to_text(const report& r) {
    std::string out;
    for (const auto& f : r.findings) {
        const auto place = f.line == 0 ? f.file : fmt::format("{}:{}:{}", f.file, f.line, f.column);
        out += fmt::format("{}: {}: {}", place, name_of(f.severity), f.message);
        out += f.remedy.empty() ? "\n" : fmt::format("; {}\n", f.remedy);
    }
    return out;
}

std::string to_json(const report& r) {
    nlohmann::json out{{"findings", nlohmann::json::array()}};
    for (const auto& f : r.findings) {
        out["findings"].push_back(
            {{"severity", name_of(f.severity)},
             {"file", f.file},
             {"line", f.line},
             {"column", f.column},
             {"message", f.message},
             {"remedy", f.remedy}}
        );
    }
    out["errors"] = std::ranges::count(r.findings, severity::error, &finding::severity);
    out["warnings"] = std::ranges::count(r.findings, severity::warning, &finding::severity);
    // File names and manifests may hold bytes that are not UTF-8.
    return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

} // namespace sluice::lint
