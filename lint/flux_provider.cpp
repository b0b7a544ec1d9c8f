#include "lint/flux_provider.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::lint {
namespace {

constexpr std::string_view flux_group = "notification.toolkit.fluxcd.io/";

bool same_letters(std::string_view a, std::string_view b) {
    return std::ranges::equal(a, b, [](char x, char y) { return (x | 0x20) == (y | 0x20); });
}

std::vector<std::string> segments_of(std::string_view address) {
    std::vector<std::string> segments;
    const auto scheme = address.find("://");
    if (scheme != std::string_view::npos) address.remove_prefix(scheme + 3);
    address = address.substr(0, address.find_first_of("?#"));
    for (auto slash = address.find('/'); slash != std::string_view::npos;) {
        address.remove_prefix(slash + 1);
        slash = address.find('/');
        if (slash != 0 && !address.empty()) segments.emplace_back(address.substr(0, slash));
    }
    return segments;
}

bool is_inside_cluster(std::string_view address) {
    const auto host = address.substr(std::string_view{"http://"}.size());
    const auto name = host.substr(0, host.find_first_of(":/"));
    return name.ends_with(".svc") || name.find(".svc.") != std::string_view::npos ||
           name == "localhost" || name.starts_with("127.");
}

std::string names_of(const pipeline::definition& d) {
    std::string names;
    for (const auto& e : d.environments) names += (names.empty() ? "" : ", ") + e.name;
    return names;
}

void check_address(const workspace& w, const provider& p, findings& out) {
    constexpr std::string_view below = "/spec/address";
    if (p.path.size() != 3) {
        return out.error(
            *p.from,
            below,
            fmt::format(
                "the address has {} segment{} after the host, so it reaches no pipeline",
                p.path.size(),
                p.path.size() == 1 ? "" : "s"
            ),
            "write …/promotion/<pipeline namespace>/<pipeline name>/<environment the events come "
            "from>"
        );
    }
    const bool template_left = p.from->text({"spec", "address"}).find("${") != std::string::npos;
    if (template_left || w.pipelines.empty()) return;
    if (p.pipeline == nullptr) {
        return out.error(
            *p.from,
            below,
            fmt::format(
                "the address names pipeline {}/{}, which is not among the files given",
                p.path[0],
                p.path[1]
            ),
            "correct the address, or lint the pipeline's file too"
        );
    }
    if (p.environment == nullptr) {
        out.error(
            *p.from,
            below,
            fmt::format(
                "pipeline {} has no environment {}", p.pipeline->definition.name.text(), p.path[2]
            ),
            fmt::format(
                "end the address with the environment the events come from: {}",
                names_of(p.pipeline->definition)
            )
        );
    }
}

// Someone who names the environment a version goes to, instead of the one it comes from, has no Provider for the one before it.
void check_last(const provider& p, const std::vector<provider>& all, findings& out) {
    const auto& environments = p.pipeline->definition.environments;
    if (environments.size() < 2 || p.environment != &environments.back()) return;
    const auto* before = &environments[environments.size() - 2];
    if (std::ranges::find(all, before, &provider::environment) != all.end()) return;
    out.warning(
        *p.from,
        "/spec/address",
        fmt::format(
            "{} is the last environment: its events are recorded and promote nothing, and no "
            "Provider speaks for {}",
            p.environment->name,
            before->name
        ),
        fmt::format(
            "name the environment the events come from, or add a Provider for {}", before->name
        )
    );
}

void check_signing(const provider& p, findings& out) {
    const auto type = p.from->text({"spec", "type"});
    const auto* secret = p.from->find({"spec", "secretRef"});
    if (secret != nullptr && !secret->is_object()) {
        out.error(
            *p.from,
            "/spec/secretRef",
            "secretRef is a mapping with the Secret's name",
            "write secretRef: {name: …}"
        );
    }
    const bool wants_signature = p.pipeline == nullptr || p.environment == nullptr ||
                                 p.pipeline->definition.event_secret(*p.environment);
    if (type == "generic" && wants_signature) {
        out.error(
            *p.from,
            "/spec/type",
            "a Provider of type generic does not sign, so its events are refused",
            "write type: generic-hmac, and a secretRef with the key token"
        );
    }
    if (type == "generic-hmac" && (secret == nullptr || secret->is_null())) {
        out.error(
            *p.from,
            "/spec",
            "a Provider of type generic-hmac needs the key it signs with",
            "add secretRef: {name: …}, a Secret with the key token"
        );
    }
}

} // namespace

bool is_flux(const object& o, std::string_view kind) {
    return o.text({"apiVersion"}).starts_with(flux_group) && same_letters(o.text({"kind"}), kind);
}

void check_flux_version(const object& o, std::string_view kind, findings& out) {
    const auto version = o.text({"apiVersion"}).substr(flux_group.size());
    if (version == "v1beta1" || version == "v1beta2") {
        out.warning(
            o,
            "/apiVersion",
            fmt::format("{} of {} is gone in Flux 2.9", version, kind),
            fmt::format("write {}v1beta3", flux_group)
        );
    }
    if (o.text({"kind"}) != kind) {
        out.error(
            o,
            "/kind",
            fmt::format("the kind is written {}", kind),
            fmt::format("write kind: {}", kind)
        );
    }
}

std::optional<provider> read_provider(const workspace& w, const object& o) {
    const auto type = o.text({"spec", "type"});
    const auto address = o.text({"spec", "address"});
    if (address.empty() || (type != "generic" && type != "generic-hmac")) return std::nullopt;
    provider p{&o, o.name(), segments_of(address)};
    const bool long_form = !p.path.empty() && p.path.front() == "promotion" && p.path.size() != 3;
    // /promotion/<a>/<b> has three segments too: it is the long form with one missing, unless there is such a pipeline.
    const bool one_missing = p.path.size() == 3 && p.path.front() == "promotion" &&
                             w.find_pipeline(p.path[0], p.path[1]) == nullptr;
    if (long_form || one_missing) p.path.erase(p.path.begin());
    if (p.path.size() == 3) p.pipeline = w.find_pipeline(p.path[0], p.path[1]);
    if (p.pipeline != nullptr) p.environment = p.pipeline->definition.find(p.path[2]);
    // An unsigned webhook of no known shape is someone else's.
    if (type == "generic" && !long_form && !one_missing && p.pipeline == nullptr)
        return std::nullopt;
    return p;
}

void check_provider(
    const workspace& w, const provider& p, const std::vector<provider>& all, findings& out
) {
    check_flux_version(*p.from, "Provider", out);
    check_address(w, p, out);
    check_signing(p, out);
    if (p.environment != nullptr) check_last(p, all, out);
    const auto address = p.from->text({"spec", "address"});
    if (address.starts_with("http://") && !is_inside_cluster(address)) {
        out.warning(
            *p.from,
            "/spec/address",
            "events travel over plain http:// outside the cluster",
            "use https://"
        );
    }
}

} // namespace sluice::lint
