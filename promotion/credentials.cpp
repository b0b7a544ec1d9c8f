#include "promotion/credentials.hpp"

#include "auth/digest.hpp"
#include "base/bytes.hpp"
#include "promotion/github_app.hpp"

#include <algorithm>
#include <optional>

namespace sluice::promotion {
namespace {

// The keys of one Secret, and which it is when something is wrong with them.
class secret_reader {
public:
    secret_reader(const home::secret& secret, const std::string& name)
        : secret_(secret), name_(name) {}

    // Without the line end that editors and `echo` leave; empty when there is none.
    [[nodiscard]] secret_string value(std::string_view key) const {
        const auto found = secret_.data.find(key);
        if (found == secret_.data.end()) return {};
        auto text = found->second.reveal();
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.remove_suffix(1);
        return secret_string{std::string{text}};
    }
    [[nodiscard]] error wrong(std::string_view what) const {
        return {errc::unprocessable, "Secret " + name_ + ": " + std::string{what}};
    }
    // What goes into a header or a login holds no line.
    [[nodiscard]] outcome check_single_lines() const {
        for (const auto* key :
             {"username",
              "password",
              "token",
              "bearerToken",
              "githubAppID",
              "githubAppInstallationID"}) {
            const auto text = value(key);
            const bool odd = std::ranges::any_of(text.reveal(), [](char c) {
                return static_cast<unsigned char>(c) < 0x20 || c == 0x7f;
            });
            if (odd)
                return wrong(std::string{key} + " holds a control character or more than one line");
        }
        return {};
    }

private:
    const home::secret& secret_;
    const std::string& name_;
};

result<std::shared_ptr<const net::client_tls>> read_tls(const secret_reader& secret) {
    const auto ca = secret.value("ca.crt");
    const auto old_ca = secret.value("caFile");
    if (!ca.empty() && !old_ca.empty() && ca != old_ca) {
        return secret.wrong("ca.crt and caFile differ: keep one of them");
    }
    auto tls = std::make_shared<net::client_tls>();
    tls->ca_pem = std::string{ca.empty() ? old_ca.reveal() : ca.reveal()};
    tls->certificate_pem = std::string{secret.value("tls.crt").reveal()};
    tls->key_pem = secret.value("tls.key");
    if (tls->certificate_pem.empty() != tls->key_pem.empty()) {
        return secret.wrong("a client certificate needs both tls.crt and tls.key");
    }
    if (tls->ca_pem.empty() && tls->certificate_pem.empty())
        return std::shared_ptr<const net::client_tls>{};
    return std::shared_ptr<const net::client_tls>{std::move(tls)};
}

std::string short_digest(std::string_view bytes) {
    const std::string_view parts[] = {bytes};
    return to_hex(auth::sha256(parts));
}

// What a forge's git server takes when only the API's token is known.
void login_by_token(git::login& login, pipeline::forge type, const secret_string& token) {
    switch (type) {
    case pipeline::forge::bitbucket_server: login.bearer = token; return;
    case pipeline::forge::gitlab: login.username = "oauth2"; break;
    case pipeline::forge::github:
    case pipeline::forge::gitea: login.username = "x-access-token"; break;
    case pipeline::forge::git: login.username = "git"; break;
    }
    login.password = token;
}

result<std::optional<github_app>> read_app(const secret_reader& secret) {
    github_app app;
    app.id = std::string{secret.value("githubAppID").reveal()};
    app.installation = std::string{secret.value("githubAppInstallationID").reveal()};
    app.private_key = secret.value("githubAppPrivateKey");
    if (app.id.empty() && app.private_key.empty()) {
        if (app.installation.empty()) return std::optional<github_app>{};
        return secret.wrong("githubAppInstallationID needs githubAppID and githubAppPrivateKey");
    }
    if (app.id.empty()) return secret.wrong("githubAppPrivateKey needs githubAppID");
    if (app.private_key.empty()) return secret.wrong("githubAppID needs githubAppPrivateKey");
    for (const auto* other : {"token", "password", "bearerToken"}) {
        if (secret.value(other).empty()) continue;
        return secret.wrong(
            std::string{"githubAppID and "} + other + " contradict each other: keep one"
        );
    }
    return std::optional{std::move(app)};
}

// Everything that needs no network.
result<credentials> read_login(const secret_reader& secret, pipeline::forge type) {
    credentials c;
    c.token = secret.value("token");
    c.username = std::string{secret.value("username").reveal()};
    c.password = secret.value("password");
    const auto bearer = secret.value("bearerToken");
    if (!c.password.empty() && c.username.empty()) return secret.wrong("password needs username");
    if (!c.password.empty() && !bearer.empty()) {
        return secret.wrong("password and bearerToken contradict each other: keep one");
    }
    if (c.token.empty()) c.token = bearer;
    if (!c.password.empty()) {
        c.login.username = c.username;
        c.login.password = c.password;
    } else if (!bearer.empty()) {
        c.login.bearer = bearer;
    } else if (!c.token.empty()) {
        login_by_token(c.login, type, c.token);
        if (!c.username.empty() && c.login.bearer.empty()) c.login.username = c.username;
    } else if (!c.username.empty()) {
        return secret.wrong("username needs password or token");
    } else if (type != pipeline::forge::git) {
        return secret.wrong("holds neither token nor username and password nor a GitHub App");
    }
    c.identity = c.token.empty() ? "user " + c.username : "token " + short_digest(c.token.reveal());
    return c;
}

} // namespace

struct credential_source::impl {
    impl(net::http_client& client, const clock& time) : apps(client, time) {}

    // The same object for the same content, so that connections are shared.
    std::shared_ptr<const net::client_tls> shared(std::shared_ptr<const net::client_tls> made) {
        if (!made) return made;
        const std::string_view parts[] = {
            made->ca_pem, "\n\n", made->certificate_pem, "\n\n", made->key_pem.reveal()
        };
        auto& known = tls[to_hex(auth::sha256(parts))];
        if (auto before = known.lock()) return before;
        std::erase_if(tls, [&](const auto& entry) {
            return &entry.second != &known && entry.second.expired();
        });
        known = made;
        return made;
    }

    github_app_tokens apps;
    std::map<std::string, std::weak_ptr<const net::client_tls>> tls;
};

credential_source::credential_source(net::http_client& client, const clock& time)
    : impl_(std::make_unique<impl>(client, time)) {}
credential_source::~credential_source() = default;

boost::asio::awaitable<result<credentials>> credential_source::resolve(
    home::secret_ptr secret,
    std::string secret_name,
    pipeline::forge type,
    std::string url,
    std::string api_url
) {
    if (secret_name.empty()) co_return credentials{}; // file:// and public repositories
    if (!secret) {
        co_return error{errc::unprocessable, "Secret " + secret_name + " is not there: create it"};
    }
    const secret_reader read{*secret, secret_name};
    if (auto fit = read.check_single_lines(); !fit) co_return fit.error();
    auto tls = read_tls(read);
    if (!tls) co_return tls.error();
    const auto shared = impl_->shared(std::move(*tls));
    auto app = read_app(read);
    if (!app) co_return app.error();

    if (!*app) {
        auto made = read_login(read, type);
        if (!made) co_return made.error();
        made->tls = made->login.tls = shared;
        made->login.secret = secret_name;
        co_return made;
    }
    if (type != pipeline::forge::github && type != pipeline::forge::git) {
        co_return read.wrong("githubAppID logs in to GitHub only: store a token of this forge");
    }
    auto place = forge::place_of(pipeline::forge::github, url, api_url);
    if (!place) co_return place.error();
    const auto identity = "app " + (**app).id + " " +
                          ((**app).installation.empty() ? place->owner : (**app).installation);
    auto token = co_await impl_->apps.token(std::move(**app), std::move(*place), shared);
    if (!token) {
        auto told = token.error();
        told.message = "Secret " + secret_name + ": " + told.message;
        told.detail = told.message;
        co_return told;
    }
    credentials made;
    made.token = std::move(*token);
    made.identity = identity;
    login_by_token(made.login, pipeline::forge::github, made.token);
    made.login.identity = identity; // the cache stays the same when the token is renewed
    made.tls = made.login.tls = shared;
    made.login.secret = secret_name;
    co_return made;
}

} // namespace sluice::promotion
