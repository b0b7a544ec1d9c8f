#include "auth/hmac_key.hpp"
#include "base/bytes.hpp"
#include "tests/unit/server/handlers_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

namespace {

constexpr const char* path = "/forge/default/podinfo";
const std::string body = R"({"action":"closed","pull_request":{"merged":true}})";

std::string hex_of(const std::string& key, const std::string& text = body) {
    const auth::hmac_key k{secret_string{std::string{key}}};
    const std::array<std::string_view, 1> parts{text};
    return to_hex(k.mac(auth::hash::sha256, parts).span());
}

int told(handlers_fixture& f, const std::string& headers) {
    return f.post(path, body, headers).status;
}

} // namespace

TEST_CASE("each forge's own signature makes the pull requests be looked at again") {
    handlers_fixture f;
    const auto hex = hex_of("the forge tells");
    std::size_t accepted = 0;
    for (const std::string& headers : {
             "X-Hub-Signature-256: sha256=" + hex + "\r\n",
             // GitHub also sends the old one.
             "X-Hub-Signature-256: sha256=" + hex + "\r\nX-Hub-Signature: sha1=0011\r\n",
             "X-Gitea-Signature: " + hex + "\r\n",
             "X-Forgejo-Signature: " + hex + "\r\nX-Gitea-Signature: " + hex + "\r\n",
             "X-Gogs-Signature: " + hex + "\r\n",
             "X-Hub-Signature: sha256=" + hex + "\r\n", // Bitbucket
             std::string{"X-Gitlab-Token: gitlab tells\r\n"},
             f.signed_with("the forge tells", auth::scheme::standard, "", body),
         }) {
        CAPTURE(headers);
        CHECK(told(f, headers) == 202);
        const std::scoped_lock lock{f.mutex};
        CHECK(f.looked_at.size() == ++accepted);
        CHECK(f.looked_at.back() == "default/podinfo");
    }
}

TEST_CASE("a webhook that covers its time is good for five minutes") {
    handlers_fixture f;
    const auto headers = f.signed_with("the forge tells", auth::scheme::standard, "", body);
    f.clock.advance(5min);
    CHECK(told(f, headers) == 202);
    f.clock.advance(1s);
    CHECK(told(f, headers) == 401);
}

TEST_CASE("a webhook that the forge did not sign changes nothing") {
    handlers_fixture f;
    const auto hex = hex_of("the forge tells");
    for (const std::string& headers : {
             std::string{},
             "X-Hub-Signature-256: sha256=" + hex_of("guess") + "\r\n",
             "X-Gitea-Signature: " + hex_of("the forge tells", "another body") + "\r\n",
             "X-Gitea-Signature: " + hex + "\r\nX-Hub-Signature-256: sha256=" + hex_of("guess") +
                 "\r\n",
             std::string{"X-Hub-Signature: sha1=0011\r\n"},
             std::string{"X-Gitlab-Token: gitlab tell\r\n"},
             std::string{"X-Gitlab-Token: the forge tells\r\n"},
             std::string{"X-Gitlab-Token: \r\n"},
             "X-Hub-Signature-256: sha256=" + hex_of("dev speaks") + "\r\n",
         }) {
        CAPTURE(headers);
        CHECK(told(f, headers) == 401);
    }
    const std::scoped_lock lock{f.mutex};
    CHECK(f.looked_at.empty());
}
