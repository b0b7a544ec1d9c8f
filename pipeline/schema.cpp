#include "pipeline/schema.hpp"

#include "pipeline/schema_names.hpp"
#include "pipeline/schema_promotion.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace sluice::pipeline {
namespace {

using nlohmann::json;
using namespace schema;

constexpr std::string_view our_group = "pipelines.weave.works";
constexpr std::string_view our_version = "pipelines.weave.works/v1alpha1";

std::string string_at(const json& object, const char* name) {
    const auto found = object.find(name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c | 0x20) : c;
    });
    return text;
}

void read_type(fields& f) {
    const auto version = f.required_text("apiVersion", fmt::format("write {}", our_version));
    if (!version.empty() && version != our_version) {
        const bool older = version.starts_with("pipelines.wego.weave.works/");
        f.mistake(
            "apiVersion",
            older ? "pipelines.wego.weave.works is a group older than the first release"
                  : fmt::format("apiVersion cannot be {}", shown(version)),
            fmt::format("write {}", our_version)
        );
    }
    const auto kind = f.required_text("kind", "write Pipeline");
    if (!kind.empty() && kind != "Pipeline")
        f.mistake("kind", fmt::format("kind cannot be {}", shown(kind)), "write Pipeline");
}

object_name read_metadata(fields& document, report& out) {
    fields f{
        document.require("metadata", "add metadata with name and namespace"),
        document.at("metadata"),
        out
    };
    f.accept_all(); // labels, annotations and all that Kubernetes adds
    object_name name;
    if (!f.readable()) return name;
    name.name = f.required_text("name", "write the Pipeline's name");
    check_name(f, "name", name.name, wrong_object_name);
    name.ns = f.text("namespace").value_or("default"); // as kubectl has it
    if (name.ns.empty())
        f.mistake(
            "namespace", "namespace is empty", "write the Pipeline's namespace or remove the field"
        );
    check_name(f, "namespace", name.ns, wrong_namespace);
    return name;
}

void check_kind(fields& f, const std::string& kind) {
    if (kind.empty() || (kind.front() >= 'A' && kind.front() <= 'Z')) return;
    for (const std::string_view known : {"HelmRelease", "Kustomization"}) {
        if (lower(kind) != lower(std::string{known})) continue;
        f.mistake(
            "kind",
            fmt::format("kind cannot be {}: kinds are written with capitals", shown(kind)),
            fmt::format("write {}", known)
        );
        return;
    }
    f.mistake(
        "kind",
        fmt::format("kind cannot be {}", shown(kind)),
        "write it as the object does, for example HelmRelease"
    );
}

app_ref read_app(fields& spec, report& out) {
    fields f{
        spec.require(
            "appRef",
            "add appRef: {apiVersion: helm.toolkit.fluxcd.io/v2, kind: HelmRelease, name: …}"
        ),
        spec.at("appRef"),
        out
    };
    app_ref app;
    if (!f.readable()) return app;
    const auto version =
        f.required_text("apiVersion", "write for example helm.toolkit.fluxcd.io/v2");
    const auto slash = version.find('/');
    const bool wrong = slash == 0 || slash + 1 == version.size() ||
                       version.find('/', slash + 1) != std::string::npos;
    if (slash != std::string::npos) {
        app.group = version.substr(0, slash);
        if (wrong)
            f.mistake(
                "apiVersion",
                fmt::format("apiVersion cannot be {}", shown(version)),
                "write GROUP/VERSION, for example helm.toolkit.fluxcd.io/v2"
            );
    }
    app.kind = f.required_text("kind", "write HelmRelease or Kustomization");
    check_kind(f, app.kind);
    app.name = f.required_text("name", "write the name of the HelmRelease or Kustomization");
    check_name(f, "name", app.name, wrong_object_name);
    f.moved(
        "secretRef",
        "appRef.secretRef is an older shape",
        "move it to spec.promotion.strategy.secretRef"
    );
    return app;
}

object_name read_cluster(
    const json& value, const std::string& pointer, const std::string& own_namespace, report& out
) {
    fields f{&value, pointer, out};
    object_name cluster;
    if (!f.readable()) return cluster;
    (void)f.text("apiVersion"); // never read, as in Weave
    const auto kind = f.required_text("kind", "write GitopsCluster");
    if (!kind.empty() && kind != "GitopsCluster") {
        f.mistake(
            "kind",
            fmt::format("kind cannot be {}", shown(kind)),
            "write GitopsCluster, the only kind of cluster there is"
        );
    }
    cluster.name = f.required_text("name", "write the name of the GitopsCluster");
    check_name(f, "name", cluster.name, wrong_object_name);
    cluster.ns = f.text("namespace").value_or("");
    check_name(f, "namespace", cluster.ns, wrong_namespace);
    if (cluster.ns.empty()) cluster.ns = own_namespace;
    return cluster;
}

std::vector<target>
read_targets(fields& environment, const std::string& own_namespace, report& out) {
    std::vector<target> targets;
    constexpr std::string_view remedy =
        "add targets: [{namespace: …}], the namespaces the app runs in";
    if (environment.require("targets", remedy) == nullptr) return targets;
    const auto* list = environment.list("targets");
    if (list == nullptr) return targets;
    if (list->empty())
        environment.mistake("targets", "the environment has no targets", std::string{remedy});
    for (std::size_t i = 0; i < list->size(); ++i) {
        fields f{&(*list)[i], fmt::format("{}/{}", environment.at("targets"), i), out};
        target& t = targets.emplace_back();
        if (!f.readable()) continue;
        t.ns = f.required_text("namespace", "write the namespace the app runs in");
        check_name(f, "namespace", t.ns, wrong_namespace);
        if (const auto* cluster = f.find("clusterRef"))
            t.cluster = read_cluster(*cluster, f.at("clusterRef"), own_namespace, out);
    }
    return targets;
}

constexpr auto target_choices = std::to_array<choice<required_targets>>(
    {{"all", required_targets::all}, {"any", required_targets::any}}
);
constexpr auto proof_choices =
    std::to_array<choice<proof>>({{"release", proof::release}, {"test", proof::test}});

environment read_environment(
    const json& value, const std::string& pointer, const std::string& own_namespace, report& out
) {
    fields f{&value, pointer, out};
    environment e;
    if (!f.readable()) return e;
    e.name = f.required_text("name", "write the environment's name, for example dev");
    check_name(f, "name", e.name, wrong_environment_name);
    e.secret = read_secret_ref(f, "secretRef", out);
    e.required =
        f.choose<required_targets>("requiredTargets", target_choices, required_targets::all);
    e.proof = f.choose<proof>("proof", proof_choices, proof::release);
    e.triggers = f.flag("triggers", true);
    e.suspend = f.flag("suspend", false);
    e.targets = read_targets(f, own_namespace, out);
    if (const auto* promotion = f.find("promotion"))
        e.promotion = read_promotion(*promotion, f.at("promotion"), out);
    return e;
}

std::vector<environment>
read_environments(fields& spec, const std::string& own_namespace, report& out) {
    std::vector<environment> environments;
    constexpr std::string_view remedy =
        "list the environments in the order versions go through them";
    if (spec.require("environments", remedy) == nullptr) return environments;
    const auto* list = spec.list("environments");
    if (list == nullptr) return environments;
    if (list->empty())
        spec.mistake("environments", "there are no environments", std::string{remedy});
    std::map<std::string, std::size_t> seen;
    for (std::size_t i = 0; i < list->size(); ++i) {
        const auto pointer = fmt::format("{}/{}", spec.at("environments"), i);
        auto e = read_environment((*list)[i], pointer, own_namespace, out);
        const auto [first, fresh] = seen.emplace(e.name, i);
        if (!e.name.empty() && !fresh) {
            out.add(
                pointer + "/name",
                fmt::format(
                    "environment {} is there twice, also as item {}",
                    shown(e.name),
                    first->second + 1
                ),
                "give each environment its own name"
            );
        }
        environments.push_back(std::move(e));
    }
    return environments;
}

std::vector<denial> read_denials(fields& spec, report& out) {
    std::vector<denial> denials;
    const auto* list = spec.list("deny");
    if (list == nullptr) return denials;
    for (std::size_t i = 0; i < list->size(); ++i) {
        fields f{&(*list)[i], fmt::format("{}/{}", spec.at("deny"), i), out};
        if (!f.readable()) continue;
        denial& d = denials.emplace_back();
        d.revision = f.required_text("revision", "write the revision that may not be promoted");
        d.reason = f.text("reason").value_or("");
    }
    return denials;
}

} // namespace

bool is_pipeline(const json& object) {
    if (!object.is_object() || lower(string_at(object, "kind")) != "pipeline") return false;
    const auto version = string_at(object, "apiVersion");
    const auto group = version.substr(0, version.find('/'));
    return version.empty() || group == our_group || group.ends_with(".weave.works");
}

std::vector<manifest> objects_in(const json& document) {
    const auto kind = document.is_object() ? string_at(document, "kind") : std::string{};
    const auto items = document.is_object() ? document.find("items") : document.end();
    if (!kind.ends_with("List") || items == document.end() || !items->is_array())
        return {{"", &document}};
    std::vector<manifest> objects;
    objects.reserve(items->size());
    for (std::size_t i = 0; i < items->size(); ++i)
        objects.push_back({fmt::format("/items/{}", i), &(*items)[i]});
    return objects;
}

std::variant<definition, std::vector<mistake>>
read_pipeline(const json& document, const source_text& source) {
    report out{source, {}};
    definition d;
    {
        fields f{&document, "", out};
        read_type(f);
        (void)f.find("status"); // Kubernetes' own
        d.name = read_metadata(f, out);
        fields spec{f.require("spec", "add spec with appRef and environments"), f.at("spec"), out};
        if (spec.readable()) {
            d.app = read_app(spec, out);
            d.suspend = spec.flag("suspend", false);
            d.deny = read_denials(spec, out);
            d.environments = read_environments(spec, d.name.ns, out);
            if (const auto* promotion = spec.find("promotion"))
                d.promotion = read_promotion(*promotion, spec.at("promotion"), out);
        }
    }
    if (out.mistakes.empty()) return d;
    return std::move(out.mistakes);
}

} // namespace sluice::pipeline
