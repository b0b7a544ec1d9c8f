#include "lint/secret_findings.hpp"
#include "lint/strategies.hpp"
#include "pipeline/schema_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sluice::lint {
namespace {

using pipeline::forge;

// All that is read from such a Secret, by whomever.
constexpr auto known_keys = std::to_array<std::string_view>(
    {"username",
     "password",
     "token",
     "bearerToken",
     "caFile",
     "ca.crt",
     "tls.crt",
     "tls.key",
     "githubAppID",
     "githubAppInstallationID",
     "githubAppPrivateKey",
     "githubAppBaseURL",
     "githubAppInstallationOwner",
     "hmac-key",
     "approval-key",
     "forge-webhook-key",
     "gitlab-token"}
);

// These take a name and a password for their API, too.
bool takes_password(forge type) {
    return type == forge::gitea || type == forge::bitbucket_server;
}

std::string_view missing(const known_secret& s, forge type) {
    const auto has = [&](std::string_view key) { return s.data.contains(key); };
    const bool app = std::ranges::any_of(s.data, [](const auto& each) {
        return each.first.starts_with("githubApp");
    });
    if (has("token") || has("bearerToken") || app) return {};
    if (type == forge::git && !has("password")) return "add username and password, or token";
    if (type == forge::git || (takes_password(type) && has("password"))) return {};
    return takes_password(type) ? "add token, or username and password"
                                : "add token beside username and password";
}

// Not every other key is a mistake: a Secret may serve several programs.
void check_misspelt(const known_secret& s, findings& out) {
    const std::vector<std::string_view> known{known_keys.begin(), known_keys.end()};
    for (const auto& [key, value] : s.data) {
        if (std::ranges::find(known, key) != known.end()) continue;
        if (key.starts_with("hmac-key-") || key.starts_with("approval-key-")) continue;
        const auto meant = pipeline::schema::nearest(key, known);
        if (!meant || s.data.contains(*meant)) continue;
        tell(
            s,
            key,
            severity::warning,
            fmt::format("nobody reads the key {}", key),
            fmt::format("did you mean {}?", *meant),
            out
        );
    }
}

} // namespace

void check_credentials(
    const workspace& w, const known_pipeline& p, const placed_policy& policy, findings& out
) {
    const auto repository = repository_of(policy);
    if (!repository || repository->secret.empty()) return;
    const auto& name = repository->secret;
    const auto* secret = needed(w, p, name, repository->pointer + "/secretRef", out);
    if (secret == nullptr) return;
    check_misspelt(*secret, out);
    if (const auto remedy = missing(*secret, repository->type); !remedy.empty()) {
        tell(
            *secret,
            "",
            severity::error,
            repository->type == forge::git
                ? fmt::format("the Secret {} has no credentials for the repository", name)
                : fmt::format("the Secret {} has no key token, which the forge's API wants", name),
            std::string{remedy},
            out
        );
    }
    if (secret->data.contains("password") && !secret->data.contains("username")) {
        tell(
            *secret,
            "password",
            severity::error,
            fmt::format("the Secret {} has a password but no username", name),
            "add username",
            out
        );
    }
}

} // namespace sluice::lint
