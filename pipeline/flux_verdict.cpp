#include "pipeline/flux_verdict.hpp"

#include <algorithm>
#include <array>
#include <span>

namespace sluice::pipeline {
namespace {

struct row {
    std::string_view severity;
    std::string_view text;
    flux_verdict means;
};

constexpr flux_verdict healthy{verdict::healthy};
constexpr flux_verdict healthy_and_tested{verdict::healthy, /*tested=*/true};
constexpr flux_verdict failed{verdict::failed};
constexpr flux_verdict rolled_back{verdict::rolled_back};
constexpr flux_verdict uninstalled{verdict::uninstalled};

// Started, progressing, drifted, waiting for a source or a dependency: not here, so `none`.
constexpr std::array by_reason{
    row{"info", "InstallSucceeded", healthy},
    row{"info", "UpgradeSucceeded", healthy},
    row{"info", "TestSucceeded", healthy_and_tested},
    row{"info", "ReconciliationSucceeded", healthy},
    row{"info", "RollbackSucceeded", rolled_back}, // carries the previous chart's version
    row{"info", "UninstallSucceeded", uninstalled},
    row{"error", "InstallFailed", failed},
    row{"error", "UpgradeFailed", failed},
    row{"error", "TestFailed", failed},
    row{"error", "BuildFailed", failed},
    row{"error", "ReconciliationFailed", failed},
    row{"error", "HealthCheckFailed", failed},
};

// helm-controller up to 0.36 and the first kustomize-controllers repeat the severity as the reason; the message tells.
constexpr std::array by_message{
    row{"info", "Helm install succeeded", healthy},
    row{"info", "Helm upgrade succeeded", healthy},
    row{"info", "Helm test succeeded", healthy_and_tested},
    row{"info", "Reconciliation finished", healthy},
    row{"info", "Helm rollback succeeded", rolled_back},
    row{"info", "Helm uninstall succeeded", uninstalled},
    row{"error", "Helm install failed", failed},
    row{"error", "Helm upgrade failed", failed},
    row{"error", "Helm test failed", failed},
};

} // namespace

flux_verdict
verdict_of(std::string_view severity, std::string_view reason, std::string_view message) {
    const bool old = reason == severity;
    const auto table = old ? std::span<const row>{by_message} : std::span<const row>{by_reason};
    const auto fits = [&](const row& r) {
        return r.severity == severity && (old ? message.starts_with(r.text) : r.text == reason);
    };
    const auto found = std::ranges::find_if(table, fits);
    return found == table.end() ? flux_verdict{} : found->means;
}

} // namespace sluice::pipeline
