#include "lint/flux_provider.hpp"
#include "lint/secret_findings.hpp"
#include "lint/strategies.hpp"

#include <fmt/format.h>

#include <algorithm>

// Secrets: are they there, do they have the keys that are read, are the keys any good. Values are compared, never shown.
namespace sluice::lint {
namespace {

constexpr std::size_t shortest_key =
    16; // bytes; below that a key can be guessed offline from one signed event

bool has_space_around(std::string_view value) {
    constexpr std::string_view space = " \t\r\n";
    return !value.empty() && (space.find(value.front()) != std::string_view::npos ||
                              space.find(value.back()) != std::string_view::npos);
}

// A key that signs events: `hmac-key…` here, `token` on the side of Flux.
void check_key(const known_secret& s, const std::string& key, findings& out) {
    const auto value = s.data.find(key)->second.reveal();
    if (value.empty()) {
        return tell(
            s,
            key,
            severity::error,
            fmt::format("the key {} is empty", key),
            "put a random value into it, for example from: openssl rand -hex 32",
            out
        );
    }
    if (value.size() < shortest_key) {
        tell(
            s,
            key,
            severity::warning,
            fmt::format("the key {} is shorter than {} bytes", key, shortest_key),
            "use a random one, for example from: openssl rand -hex 32",
            out
        );
    }
    if (has_space_around(value)) {
        tell(
            s,
            key,
            severity::warning,
            fmt::format(
                "the key {} has white space or a newline around it, which some Flux versions trim "
                "and others sign with",
                key
            ),
            "write it without, for example with printf instead of echo",
            out
        );
    }
}

void check_event_secret(
    const workspace& w, const known_pipeline& p, std::size_t index, findings& out
) {
    const auto name = p.definition.event_secret(p.definition.environments[index]);
    if (!name) return; // told by check_pipelines
    const auto* secret = needed(w, p, *name, fmt::format("/spec/environments/{}", index), out);
    if (secret == nullptr) return;
    bool found = false;
    for (const auto& [key, value] : secret->data) {
        if (key != "hmac-key" && !key.starts_with("hmac-key-")) continue;
        found = true;
        check_key(*secret, key, out);
        const auto token = secret->data.find("token");
        if (token != secret->data.end() && token->second == value) {
            tell(
                *secret,
                key,
                severity::warning,
                "the forge's token is also the key that signs events, so every cluster holds it",
                "make a random hmac-key of its own",
                out
            );
        }
    }
    if (found) return;
    const bool renamed = secret->data.contains("token");
    tell(
        *secret,
        "",
        severity::error,
        fmt::format(
            "the Secret {} signs the events of {} but has no key hmac-key",
            *name,
            p.definition.name.text()
        ),
        renamed ? "add hmac-key with the value that Flux's Secret has as token"
                : "add the key hmac-key",
        out
    );
}

// Flux signs with `token` of its Secret, Sluice verifies with `hmac-key` of the pipeline's.
void check_provider_secret(const workspace& w, const provider& p, findings& out) {
    const auto name = p.from->text({"spec", "secretRef", "name"});
    const auto* theirs = name.empty() ? nullptr : w.find_secret(p.name.ns, name);
    if (theirs == nullptr || theirs->manifest == nullptr) return; // the folder is Sluice's side
    const auto token = theirs->data.find("token");
    if (token == theirs->data.end()) {
        return tell(
            *theirs,
            "",
            severity::error,
            fmt::format("Flux reads the key token of the Secret {}, which is not there", name),
            theirs->data.contains("hmac-key") ? "rename hmac-key to token on the side of Flux"
                                              : "add the key token",
            out
        );
    }
    check_key(*theirs, "token", out);
    if (p.environment == nullptr) return;
    const auto& d = p.pipeline->definition;
    const auto ours_name = d.event_secret(*p.environment);
    const auto* ours = ours_name ? w.find_secret(d.name.ns, *ours_name) : nullptr;
    if (ours == nullptr) return;
    const bool same = std::ranges::any_of(ours->data, [&](const auto& each) {
        return each.first.starts_with("hmac-key") && each.second == token->second;
    });
    if (same || !std::ranges::any_of(ours->data, [](const auto& each) {
            return each.first.starts_with("hmac-key");
        }))
        return;
    tell(
        *theirs,
        "token",
        severity::error,
        fmt::format(
            "token is not the hmac-key of the Secret {}, so the events of {} are refused",
            *ours_name,
            p.environment->name
        ),
        "give both the same value",
        out
    );
}

} // namespace

void check_secrets(const workspace& w, findings& out) {
    for (const auto& p : w.pipelines) {
        for (std::size_t i = 0; i < p.definition.environments.size(); ++i)
            check_event_secret(w, p, i, out);
        for (const auto& policy : policies_of(p)) check_credentials(w, p, policy, out);
    }
    for (const auto& each : w.objects) {
        if (!is_flux(each, "Provider")) continue;
        if (const auto p = read_provider(w, each)) check_provider_secret(w, *p, out);
    }
}

} // namespace sluice::lint
