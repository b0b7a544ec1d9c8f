#include "base/bytes.hpp"
#include "net/openssl.hpp"
#include "promotion/github_app.hpp"
#include "tests/unit/promotion/forge_fixture.hpp"

#include <openssl/pem.h>
#include <openssl/rsa.h>

#include <algorithm>

namespace sluice::tests {
namespace {

const std::string installation = "GET /api/v3/repos/org/fleet/installation";
const std::string access_tokens = "POST /api/v3/app/installations/77/access_tokens";

net::evp_pkey_ptr new_key() {
    return net::evp_pkey_ptr{EVP_RSA_gen(2048)};
}

std::string pem_of(EVP_PKEY* key) {
    const net::bio_ptr out{BIO_new(BIO_s_mem())};
    REQUIRE(
        PEM_write_bio_PrivateKey_traditional(
            out.get(), key, nullptr, nullptr, 0, nullptr, nullptr
        ) == 1
    );
    char* bytes = nullptr;
    const auto size = BIO_get_mem_data(out.get(), &bytes);
    return {bytes, static_cast<std::size_t>(size)};
}

std::string from_base64url(std::string text) {
    std::ranges::replace(text, '-', '+');
    std::ranges::replace(text, '_', '/');
    while (text.size() % 4 != 0) text += '=';
    return from_base64(text).value();
}

struct app_fixture : forge_fixture {
    app_fixture() : forge_fixture(pipeline::forge::github, "github", "/org/fleet") {
        secret = std::make_shared<home::secret>();
        secret->data.emplace("githubAppID", secret_string{"Iv1.abc\n"});
        secret->data.emplace("githubAppPrivateKey", secret_string{pem_of(key.get())});
    }

    [[nodiscard]] result<promotion::credentials> resolve() {
        return run(source.resolve(secret, "app", pipeline::forge::github, strategy.url, ""));
    }
    static played_answer token(const std::string& text, const std::string& end) {
        return plays(201, {{"token", text}, {"expires_at", end}});
    }

    net::evp_pkey_ptr key = new_key();
    std::shared_ptr<home::secret> secret;
    promotion::credential_source source{client, time};
};

} // namespace

TEST_CASE_METHOD(
    app_fixture,
    "a GitHub App is shown by a signed JWT that GitHub takes for nine minutes",
    "[github]"
) {
    impostor.on(installation, {plays(200, {{"id", 77}})});
    impostor.on(access_tokens, {token("ghs_1", "2026-09-21T15:13:20Z")});
    const auto made = resolve();
    REQUIRE(made);
    CHECK(made->token.reveal() == "ghs_1");
    CHECK(made->login.username == "x-access-token");
    CHECK(made->login.password.reveal() == "ghs_1");

    const auto shown = impostor.request(installation).header("authorization");
    REQUIRE(shown.starts_with("Bearer "));
    const auto jwt = shown.substr(7);
    const auto first = jwt.find('.');
    const auto second = jwt.rfind('.');
    CHECK(
        json::parse(from_base64url(jwt.substr(0, first))) == json{{"alg", "RS256"}, {"typ", "JWT"}}
    );
    const auto claims = json::parse(from_base64url(jwt.substr(first + 1, second - first - 1)));
    CHECK(
        claims ==
        json{{"iat", 1'790'000'000 - 60}, {"exp", 1'790'000'000 + 540}, {"iss", "Iv1.abc"}}
    );
    const auto signature = from_base64url(jwt.substr(second + 1));
    const std::unique_ptr<EVP_MD_CTX, net::openssl_deleter<EVP_MD_CTX_free>> check{EVP_MD_CTX_new()
    };
    REQUIRE(EVP_DigestVerifyInit(check.get(), nullptr, EVP_sha256(), nullptr, key.get()) == 1);
    CHECK(
        EVP_DigestVerify(
            check.get(),
            reinterpret_cast<const unsigned char*>(signature.data()),
            signature.size(),
            reinterpret_cast<const unsigned char*>(jwt.data()),
            second
        ) == 1
    );
}

TEST_CASE_METHOD(
    app_fixture, "an App's token is kept until five minutes before its end", "[github]"
) {
    secret->data.emplace("githubAppInstallationID", secret_string{"77"});
    impostor.on(
        access_tokens,
        {token("ghs_1", "2026-09-21T15:13:20Z"), token("ghs_2", "2026-09-21T16:08:21Z")}
    );
    const auto first = resolve();
    REQUIRE(first);
    time.advance(std::chrono::minutes{55} - std::chrono::seconds{1});
    CHECK(resolve()->token.reveal() == "ghs_1");
    time.advance(std::chrono::seconds{1});
    const auto renewed = resolve();
    REQUIRE(renewed);
    CHECK(renewed->token.reveal() == "ghs_2");
    CHECK(renewed->identity == first->identity); // the forge counts on
    CHECK(impostor.requests().size() == 2);
}

TEST_CASE_METHOD(
    app_fixture,
    "an App that is unknown, not installed or badly signed is told with the remedy",
    "[github]"
) {
    impostor.on(
        installation,
        {plays(404, {{"message", "Not Found"}}),
         plays(401, {{"message", "A JSON web token could not be decoded"}}),
         plays(500),
         plays(200, {{"id", 77}})}
    );
    impostor.on(access_tokens, {plays(201, json::object())});
    const auto missing = resolve();
    REQUIRE_FALSE(missing);
    CHECK(missing.error().code == errc::not_found);
    CHECK(says(missing.error().message, "Secret app: "));
    CHECK(says(missing.error().message, "is the App installed on the repository?"));
    const auto unknown = resolve();
    REQUIRE_FALSE(unknown);
    CHECK(unknown.error().code == errc::unauthenticated);
    CHECK(says(unknown.error().message, "check githubAppID and githubAppPrivateKey"));
    CHECK(resolve().error().code == errc::unavailable);
    CHECK(resolve().error().code == errc::unprocessable); // an answer without a token
}

} // namespace sluice::tests
