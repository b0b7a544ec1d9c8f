#include "lint/strategies.hpp"
#include "lint/workspace.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::lint {
namespace {

using pipeline::environment;
using pipeline::target;

constexpr auto reserved_namespaces =
    std::to_array<std::string_view>({"api", "approval", "approve", "forge", "promotion"});

void check_namespace(const known_pipeline& p, findings& out) {
    const auto& ns = p.definition.name.ns;
    if (std::ranges::find(reserved_namespaces, ns) == reserved_namespaces.end()) return;
    out.warning(
        p.from,
        "/metadata/namespace",
        fmt::format(
            "the namespace {} is also a path of the server, so /{}/{}/… does not reach this "
            "pipeline",
            ns,
            ns,
            p.definition.name.name
        ),
        fmt::format("use the long form /promotion/{}/{}/… in Providers", ns, p.definition.name.name)
    );
}

void check_targets(const known_pipeline& p, std::size_t index, findings& out) {
    const auto& targets = p.definition.environments[index].targets;
    for (std::size_t i = 0; i < targets.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j) {
            const auto& a = targets[j];
            const auto& b = targets[i];
            if (a.ns != b.ns || (a.cluster && b.cluster && *a.cluster != *b.cluster)) continue;
            out.warning(
                p.from,
                fmt::format("/spec/environments/{}/targets/{}", index, i),
                fmt::format(
                    "no event can tell this target from target {}: same namespace {}, no different "
                    "cluster",
                    j + 1,
                    b.ns
                ),
                "give each a clusterRef of its own, or remove one; until then they count as one"
            );
        }
    }
}

void check_signature(const known_pipeline& p, std::size_t index, findings& out) {
    const auto& d = p.definition;
    const auto& e = d.environments[index];
    if (d.event_secret(e)) return;
    out.warning(
        p.from,
        fmt::format("/spec/environments/{}", index),
        fmt::format(
            "no Secret signs the events of environment {}: they are refused unless the operator "
            "allows unsigned events for {}",
            e.name,
            d.name.text()
        ),
        "add secretRef: {name: …} to spec.promotion.strategy or to the environment, a Secret with "
        "the key hmac-key"
    );
}

bool share_a_namespace(const environment& a, const environment& b) {
    return std::ranges::any_of(a.targets, [&](const target& one) {
        return std::ranges::find(b.targets, one.ns, &target::ns) != b.targets.end();
    });
}

// The key bytes of two Secrets, where both are known, else their names.
bool share_a_key(
    const workspace& w, const std::string& ns, const std::string& a, const std::string& b
) {
    if (a == b) return true;
    const auto* first = w.find_secret(ns, a);
    const auto* second = w.find_secret(ns, b);
    if (first == nullptr || second == nullptr) return false;
    return std::ranges::any_of(first->data, [&](const auto& one) {
        return one.first.starts_with("hmac-key") &&
               std::ranges::any_of(second->data, [&](const auto& other) {
                   return other.first.starts_with("hmac-key") && one.second == other.second;
               });
    });
}

void check_shared_keys(
    const workspace& w, const known_pipeline& p, std::size_t index, findings& out
) {
    const auto& d = p.definition;
    const auto& e = d.environments[index];
    const auto secret = d.event_secret(e);
    for (std::size_t i = 0; secret && i < index; ++i) {
        const auto& earlier = d.environments[i];
        const auto other = d.event_secret(earlier);
        if (!other || !share_a_namespace(earlier, e) || !share_a_key(w, d.name.ns, *secret, *other))
            continue;
        out.warning(
            p.from,
            fmt::format("/spec/environments/{}", index),
            fmt::format(
                "environments {} and {} share a key and a namespace: whoever speaks for {} can "
                "speak for {}",
                earlier.name,
                e.name,
                earlier.name,
                e.name
            ),
            "give each environment its own secretRef"
        );
        return;
    }
}

void check_app(const known_pipeline& p, findings& out) {
    const auto& app = p.definition.app;
    const std::string_view group = app.kind == "HelmRelease"     ? "helm.toolkit.fluxcd.io"
                                   : app.kind == "Kustomization" ? "kustomize.toolkit.fluxcd.io"
                                                                 : "";
    if (group.empty() || app.group == group) return;
    out.warning(
        p.from,
        "/spec/appRef/apiVersion",
        fmt::format("Flux's {} is of the group {}, so no event of it will match", app.kind, group),
        fmt::format("write {}/{}", group, app.kind == "HelmRelease" ? "v2" : "v1")
    );
}

} // namespace

void check_pipelines(const workspace& w, findings& out) {
    for (const auto& p : w.pipelines) {
        check_namespace(p, out);
        check_app(p, out);
        for (const auto& policy : policies_of(p)) check_strategy(p, policy, out);
        for (std::size_t i = 0; i < p.definition.environments.size(); ++i) {
            check_targets(p, i, out);
            check_signature(p, i, out);
            check_shared_keys(w, p, i, out);
        }
    }
}

} // namespace sluice::lint
