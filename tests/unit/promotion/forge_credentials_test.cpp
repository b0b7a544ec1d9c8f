#include "tests/unit/promotion/forge_fixture.hpp"

namespace sluice::tests {
namespace {

using promotion::credentials;
using values = std::map<std::string, std::string>;

struct credentials_fixture : forge_fixture {
    credentials_fixture() : forge_fixture(pipeline::forge::github, "github", "/org/fleet") {}

    [[nodiscard]] result<credentials> resolve(pipeline::forge type, const values& data) {
        auto secret = std::make_shared<home::secret>();
        for (const auto& [key, value] : data) secret->data.emplace(key, secret_string{value});
        return run(source.resolve(secret, "promotion-credentials", type, strategy.url, ""));
    }

    promotion::credential_source source{client, time};
};

std::string text(const secret_string& s) {
    return std::string{s.reveal()};
}

} // namespace

TEST_CASE_METHOD(
    credentials_fixture, "a Secret with only a token logs in to git the way each forge takes it"
) {
    struct row {
        pipeline::forge type;
        std::string username;
        std::string password;
        std::string bearer;
    };
    const row rows[] = {
        {pipeline::forge::github, "x-access-token", "tok", ""},
        {pipeline::forge::gitlab, "oauth2", "tok", ""},
        {pipeline::forge::gitea, "x-access-token", "tok", ""},
        {pipeline::forge::bitbucket_server, "", "", "tok"},
        {pipeline::forge::git, "git", "tok", ""},
    };
    for (const auto& r : rows) {
        const auto c = resolve(r.type, {{"token", "tok\n"}});
        REQUIRE(c);
        CHECK(c->login.username == r.username);
        CHECK(text(c->login.password) == r.password);
        CHECK(text(c->login.bearer) == r.bearer);
        CHECK(text(c->token) == "tok");
    }
}

TEST_CASE_METHOD(
    credentials_fixture, "Weave's Secrets work: git by user name and password, the API by token"
) {
    const auto c = resolve(
        pipeline::forge::gitlab,
        {{"username", "bot"}, {"password", "pw"}, {"token", "tok"}, {"hmac-key", "x"}}
    );
    REQUIRE(c);
    CHECK(c->login.username == "bot");
    CHECK(text(c->login.password) == "pw");
    CHECK(text(c->token) == "tok");
    const auto without_token =
        resolve(pipeline::forge::gitea, {{"username", "bot"}, {"password", "pw"}});
    REQUIRE(without_token);
    CHECK(without_token->token.empty());
    CHECK(text(without_token->password) == "pw");
    const auto bearer = resolve(pipeline::forge::bitbucket_server, {{"bearerToken", "tok"}});
    REQUIRE(bearer);
    CHECK(text(bearer->login.bearer) == "tok");
    CHECK(text(bearer->token) == "tok");
}

TEST_CASE_METHOD(
    credentials_fixture,
    "an incomplete or contradicting Secret is told by the key that is wrong, without its value"
) {
    const std::pair<values, std::string> rows[] = {
        {{}, "holds neither token"},
        {{{"password", "hunter2"}}, "password needs username"},
        {{{"username", "bot"}}, "username needs password or token"},
        {{{"username", "bot"}, {"password", "hunter2"}, {"bearerToken", "b"}},
         "password and bearerToken contradict"},
        {{{"token", "hunter2\nsecond"}}, "token holds a control character or more than one line"},
        {{{"token", "hunter2"}, {"tls.crt", "x"}}, "tls.crt and tls.key"},
        {{{"token", "hunter2"}, {"ca.crt", "x"}, {"caFile", "y"}}, "ca.crt and caFile differ"},
        {{{"githubAppID", "1"}}, "githubAppID needs githubAppPrivateKey"},
        {{{"githubAppPrivateKey", "hunter2"}}, "githubAppPrivateKey needs githubAppID"},
        {{{"githubAppInstallationID", "1"}}, "githubAppInstallationID needs githubAppID"},
        {{{"githubAppID", "1"}, {"githubAppPrivateKey", "k"}, {"token", "hunter2"}},
         "githubAppID and token contradict"},
        {{{"githubAppID", "1"}, {"githubAppPrivateKey", "hunter2"}},
         "githubAppPrivateKey is not an RSA key"},
    };
    for (const auto& [data, complaint] : rows) {
        INFO(complaint);
        const auto c = resolve(pipeline::forge::github, data);
        REQUIRE_FALSE(c);
        CHECK(c.error().code == errc::unprocessable);
        CHECK(says(c.error().message, "Secret promotion-credentials: "));
        CHECK(says(c.error().message, complaint));
        CHECK_FALSE(says(c.error().message, "hunter2"));
    }
}

TEST_CASE_METHOD(credentials_fixture, "a GitHub App logs in to no other forge") {
    const auto c =
        resolve(pipeline::forge::gitlab, {{"githubAppID", "1"}, {"githubAppPrivateKey", "k"}});
    REQUIRE_FALSE(c);
    CHECK(says(c.error().message, "GitHub only"));
}

TEST_CASE_METHOD(
    credentials_fixture,
    "without a Secret's name nobody logs in; a Secret that is not there is told"
) {
    const auto none =
        run(source.resolve(nullptr, "", pipeline::forge::git, "file:///srv/fleet.git", ""));
    REQUIRE(none);
    CHECK(none->login.username.empty());
    const auto missing =
        run(source.resolve(nullptr, "gone", pipeline::forge::git, strategy.url, ""));
    REQUIRE_FALSE(missing);
    CHECK(says(missing.error().message, "Secret gone"));
}

TEST_CASE_METHOD(
    credentials_fixture,
    "a private CA and a client certificate serve git and the API, and connections are shared"
) {
    const values data{{"token", "tok"}, {"caFile", "CA"}, {"tls.crt", "CERT"}, {"tls.key", "KEY"}};
    const auto one = resolve(pipeline::forge::github, data);
    const auto two = resolve(pipeline::forge::github, data);
    REQUIRE(one);
    REQUIRE(two);
    REQUIRE(one->tls);
    CHECK(one->tls->ca_pem == "CA");
    CHECK(one->tls->certificate_pem == "CERT");
    CHECK(text(one->tls->key_pem) == "KEY");
    CHECK(one->tls == one->login.tls);
    CHECK(one->tls == two->tls);
    CHECK_FALSE(resolve(pipeline::forge::github, {{"token", "tok"}})->tls);
}

TEST_CASE_METHOD(credentials_fixture, "limits are counted for the account, whoever names it") {
    const auto one = resolve(pipeline::forge::github, {{"token", "hunter2"}});
    const auto same = resolve(pipeline::forge::github, {{"token", "hunter2"}, {"hmac-key", "x"}});
    const auto other = resolve(pipeline::forge::github, {{"token", "other"}});
    CHECK(one->identity == same->identity);
    CHECK(one->identity != other->identity);
    CHECK_FALSE(says(one->identity, "hunter2"));
}

} // namespace sluice::tests
