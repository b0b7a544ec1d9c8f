#include "pipeline/flux_verdict.hpp"
#include "tests/support/catch.hpp"

using namespace sluice::pipeline;

TEST_CASE("only Flux's proofs of health are healthy, only failures of a revision are failed") {
    struct row {
        const char* severity;
        const char* reason;
        verdict says;
        bool tested = false;
    };
    const row rows[] = {
        {"info", "InstallSucceeded", verdict::healthy},
        {"info", "UpgradeSucceeded", verdict::healthy},
        {"info", "TestSucceeded", verdict::healthy, true},
        {"info", "ReconciliationSucceeded", verdict::healthy},
        {"info", "RollbackSucceeded", verdict::rolled_back},
        {"info", "UninstallSucceeded", verdict::uninstalled},
        {"error", "InstallFailed", verdict::failed},
        {"error", "UpgradeFailed", verdict::failed},
        {"error", "TestFailed", verdict::failed},
        {"error", "BuildFailed", verdict::failed},
        {"error", "ReconciliationFailed", verdict::failed},
        {"error", "HealthCheckFailed", verdict::failed},

        {"info", "PendingRelease", verdict::none},
        {"error", "PendingRelease", verdict::none},
        {"info", "DriftCorrected", verdict::none},
        {"error", "DriftDetected", verdict::none},
        {"error", "DriftCorrectionFailed", verdict::none},
        {"info", "DependencyNotReady", verdict::none},
        {"info", "HealthCheckCanceled", verdict::none},
        {"info", "Progressing", verdict::none},
        {"error", "RollbackFailed", verdict::none},
        {"error", "UninstallFailed", verdict::none},
        {"error", "ArtifactFailed", verdict::none},
        {"error", "ValuesError", verdict::none},
        {"error", "InvalidCELExpression", verdict::none},
        {"error", "AccessDenied", verdict::none},
        {"error", "InventoryBuildFailed", verdict::none},
        {"error", "PruneFailed", verdict::none},

        // a contradiction proves nothing
        {"error", "UpgradeSucceeded", verdict::none},
        {"info", "UpgradeFailed", verdict::none},
        {"trace", "UpgradeSucceeded", verdict::none},
        {"", "UpgradeSucceeded", verdict::none},
        {"info", "upgradesucceeded", verdict::none},
        {"info", "", verdict::none},
    };
    for (const auto& r : rows) {
        INFO(r.severity << " " << r.reason);
        // The message of another event must not matter where the reason tells.
        const auto v = verdict_of(r.severity, r.reason, "Helm upgrade succeeded");
        CHECK(v.verdict == r.says);
        CHECK(v.tested == r.tested);
    }
}

TEST_CASE("where an old controller repeats the severity as the reason, its message tells") {
    struct row {
        const char* severity;
        const char* message;
        verdict says;
        bool tested = false;
    };
    const row rows[] = {
        {"info", "Helm install succeeded", verdict::healthy},
        {"info", "Helm upgrade succeeded", verdict::healthy},
        {"info", "Helm test succeeded", verdict::healthy, true},
        {"info", "Reconciliation finished in 1.2s, next run in 10m0s", verdict::healthy},
        {"info", "Helm rollback succeeded", verdict::rolled_back},
        {"info", "Helm uninstall succeeded", verdict::uninstalled},
        {"error", "Helm install failed: timed out", verdict::failed},
        {"error", "Helm upgrade failed: timed out", verdict::failed},
        {"error", "Helm test failed: pod podinfo-test failed", verdict::failed},

        {"info", "Helm install has started", verdict::none},
        {"info", "Helm upgrade has started", verdict::none},
        {"info", "HelmChart 'flux-system/podinfo' is not ready", verdict::none},
        {"info", "the Helm upgrade succeeded", verdict::none},
        {"error", "Helm upgrade succeeded", verdict::none},
        {"info", "", verdict::none},
    };
    for (const auto& r : rows) {
        INFO(r.severity << " " << r.message);
        const auto v = verdict_of(r.severity, r.severity, r.message);
        CHECK(v.verdict == r.says);
        CHECK(v.tested == r.tested);
    }
}
