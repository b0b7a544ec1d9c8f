#pragma once

#include "auth/signature.hpp"
#include "home/secrets.hpp"
#include "net/http.hpp"

namespace sluice::server {

// What forges sign their webhooks with; where one sends several, all must verify:
//   GitHub, Gitea, Forgejo   X-Hub-Signature-256: sha256=<hex>
//   Gitea, Forgejo, Gogs     X-Gitea-Signature, X-Forgejo-Signature, X-Gogs-Signature: <hex>
//   Bitbucket                X-Hub-Signature: sha256=<hex>   (GitHub's is sha1, and passed over)
//   GitLab                   X-Gitlab-Token, which is the Secret's `gitlab-token` itself, or Standard Webhooks
// `secret` is null where there is none: the same work is done.
[[nodiscard]] auth::verification verify_webhook(
    const http::request& request,
    const home::secret* secret,
    const auth::key_ring& keys,
    time_point now
);

} // namespace sluice::server
