#include "lint/flux_provider.hpp"

#include <fmt/format.h>

#include <algorithm>

// Flux Alerts: which events reach the Provider.
namespace sluice::lint {
namespace {

using nlohmann::json;
using pipeline::target;

std::string text_of(const json& source, const char* name) {
    const auto found = source.is_object() ? source.find(name) : source.end();
    return found != source.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

bool is_lower_case(const std::string& kind) {
    return !kind.empty() && kind.front() >= 'a' && kind.front() <= 'z';
}

// Each source that could be the app; tells what keeps its events from counting.
void check_sources(const object& alert, const provider& p, findings& out) {
    const auto& app = p.pipeline->definition.app;
    const auto* sources = alert.find({"spec", "eventSources"});
    bool matched = false;
    for (std::size_t i = 0; sources != nullptr && sources->is_array() && i < sources->size(); ++i) {
        const auto& source = (*sources)[i];
        const auto below = fmt::format("/spec/eventSources/{}", i);
        const auto kind = text_of(source, "kind");
        const auto name = text_of(source, "name");
        if (is_lower_case(kind)) {
            out.error(
                alert,
                below + "/kind",
                fmt::format("kind {} is written in lower case, Flux matches nothing", kind),
                fmt::format("write kind: {}", app.kind)
            );
            matched = true; // one finding for one mistake
            continue;
        }
        if (kind != app.kind || (name != app.name && name != "*")) continue;
        matched = true;
        const auto ns =
            text_of(source, "namespace").empty() ? alert.name().ns : text_of(source, "namespace");
        const bool known =
            ns.empty() || std::ranges::find(p.environment->targets, ns, &target::ns) !=
                              p.environment->targets.end();
        if (!known) {
            out.error(
                alert,
                below,
                fmt::format(
                    "environment {} has no target in the namespace {}, so these events contradict "
                    "the pipeline",
                    p.environment->name,
                    ns
                ),
                "correct the namespace here or in the pipeline's targets"
            );
        }
    }
    if (!matched) {
        out.error(
            alert,
            "/spec/eventSources",
            fmt::format("no event source is the pipeline's app, {} {}", app.kind, app.name),
            fmt::format("add {{kind: {}, name: {}}}", app.kind, app.name)
        );
    }
}

bool names_target(const target& t, const std::string& cluster) {
    return !t.cluster || t.cluster->name == cluster || t.cluster->text() == cluster;
}

void check_cluster(const object& alert, const provider& p, findings& out) {
    const auto& targets = p.environment->targets;
    const auto cluster = alert.text({"spec", "eventMetadata", "cluster"});
    if (!cluster.empty()) {
        if (std::ranges::any_of(targets, [&](const target& t) { return names_target(t, cluster); }))
            return;
        return out.error(
            alert,
            "/spec/eventMetadata/cluster",
            fmt::format(
                "environment {} has no target on the cluster {}", p.environment->name, cluster
            ),
            "write the name of a target's clusterRef"
        );
    }
    const bool ambiguous = std::ranges::any_of(targets, [&](const target& t) {
        return std::ranges::count(targets, t.ns, &target::ns) > 1;
    });
    if (!ambiguous) return;
    out.warning(
        alert,
        "/spec",
        fmt::format(
            "environment {} has targets of one namespace on several clusters, and these events do "
            "not say which they come from",
            p.environment->name
        ),
        "add eventMetadata: {cluster: …} with the name of the target's clusterRef"
    );
}

void check_alert(const object& alert, const provider& p, findings& out) {
    check_flux_version(alert, "Alert", out);
    if (alert.text({"spec", "eventSeverity"}) == "error") {
        out.error(
            alert,
            "/spec/eventSeverity",
            "only failures are sent, and a success is what promotes",
            "write eventSeverity: info, which sends both"
        );
    }
    const auto* suspend = alert.find({"spec", "suspend"});
    if (suspend != nullptr && *suspend == true) {
        out.warning(
            alert, "/spec/suspend", "the Alert is suspended, no event is sent", "remove suspend"
        );
    }
    if (p.environment == nullptr) return;
    check_sources(alert, p, out);
    check_cluster(alert, p, out);
}

const provider* provider_of(const object& alert, const std::vector<provider>& all) {
    const auto ns = alert.name().ns;
    const auto name = alert.text({"spec", "providerRef", "name"});
    const auto found = std::ranges::find_if(all, [&](const provider& p) {
        return p.name.name == name && (p.name.ns.empty() || ns.empty() || p.name.ns == ns);
    });
    return found == all.end() ? nullptr : &*found;
}

} // namespace

void check_flux(const workspace& w, findings& out) {
    std::vector<provider> providers;
    for (const auto& each : w.objects) {
        if (!is_flux(each, "Provider")) continue;
        if (auto p = read_provider(w, each)) providers.push_back(std::move(*p));
    }
    for (const auto& p : providers) check_provider(w, p, providers, out);
    for (const auto& each : w.objects) {
        if (!is_flux(each, "Alert")) continue;
        if (const auto* p = provider_of(each, providers)) check_alert(each, *p, out);
    }
}

} // namespace sluice::lint
