#include "lint/secret_findings.hpp"

#include <fmt/format.h>

namespace sluice::lint {

void tell(
    const known_secret& s,
    const std::string& key,
    severity level,
    std::string message,
    std::string remedy,
    findings& out
) {
    if (s.manifest == nullptr) {
        out.add(
            {level,
             key.empty() ? s.folder : s.folder + "/" + key,
             0,
             0,
             std::move(message),
             std::move(remedy)}
        );
        return;
    }
    const auto* plain = s.manifest->find({"stringData", key});
    const auto below = key.empty()
                           ? std::string{}
                           : fmt::format("/{}/{}", plain != nullptr ? "stringData" : "data", key);
    level == severity::error
        ? out.error(*s.manifest, below, std::move(message), std::move(remedy))
        : out.warning(*s.manifest, below, std::move(message), std::move(remedy));
}

const known_secret* needed(
    const workspace& w,
    const known_pipeline& p,
    const std::string& name,
    const std::string& below,
    findings& out
) {
    const auto* secret = w.find_secret(p.definition.name.ns, name);
    if (secret == nullptr && w.has_secrets_folder) {
        out.error(
            p.from,
            below,
            fmt::format("there is no Secret {} in the namespace {}", name, p.definition.name.ns),
            fmt::format(
                "add the folder {}/{} to the secrets, one file per key", p.definition.name.ns, name
            )
        );
    }
    return secret;
}

} // namespace sluice::lint
