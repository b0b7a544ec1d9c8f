#include "promotion/github_app.hpp"

#include "auth/digest.hpp"
#include "base/bytes.hpp"
#include "base/rfc3339.hpp"
#include "net/openssl.hpp"
#include "promotion/forge/json_call.hpp"

#include <openssl/pem.h>

#include <algorithm>

namespace sluice::promotion {
namespace {

using nlohmann::json;

constexpr std::chrono::minutes renewed_before{5};

std::string base64url(std::string_view bytes) {
    auto text = to_base64(bytes);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    while (text.ends_with('=')) text.pop_back();
    return text;
}

error unusable_key() {
    return {
        errc::unprocessable,
        "githubAppPrivateKey is not an RSA key in PEM (" + net::openssl_error() +
            "): store the file GitHub gave for the App as it is"
    };
}

result<std::string> rs256(std::string_view text, const secret_string& pem) {
    const auto bytes = pem.reveal();
    const net::bio_ptr source{BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))};
    // An encrypted key must not ask a terminal for its password.
    const auto no_password = [](char*, int, int, void*) { return -1; };
    const net::evp_pkey_ptr key{PEM_read_bio_PrivateKey(source.get(), nullptr, no_password, nullptr)
    };
    if (!key || EVP_PKEY_is_a(key.get(), "RSA") != 1) return unusable_key();
    using context = std::unique_ptr<EVP_MD_CTX, net::openssl_deleter<EVP_MD_CTX_free>>;
    const context signing{EVP_MD_CTX_new()};
    const auto* const data = reinterpret_cast<const unsigned char*>(text.data());
    std::size_t size = 0;
    if (EVP_DigestSignInit(signing.get(), nullptr, EVP_sha256(), nullptr, key.get()) != 1 ||
        EVP_DigestSign(signing.get(), nullptr, &size, data, text.size()) != 1) {
        return unusable_key();
    }
    std::string signature(size, '\0');
    auto* const into = reinterpret_cast<unsigned char*>(signature.data());
    if (EVP_DigestSign(signing.get(), into, &size, data, text.size()) != 1) return unusable_key();
    signature.resize(size);
    return signature;
}

forge::json_call caller(
    net::http_client& client,
    const forge::repository_place& place,
    std::shared_ptr<const net::client_tls> tls,
    const secret_string& jwt
) {
    forge::json_call::options options;
    options.called = "GitHub";
    options.place = place;
    options.tls = std::move(tls);
    options.token = jwt;
    options.authorization = secret_string{"Bearer " + std::string{jwt.reveal()}};
    options.headers = {
        {"Accept", "application/vnd.github+json"},
        {"X-GitHub-Api-Version", "2022-11-28"},
        {"User-Agent", "sluice"},
    };
    return {client, std::move(options)};
}

error not_believed(error e) {
    if (e.code == errc::unauthenticated) {
        e = error{e.code, e.message + ": check githubAppID and githubAppPrivateKey"};
    } else if (e.code == errc::not_found) {
        e = error{e.code, e.message + ": is the App installed on the repository?"};
    }
    return e;
}

} // namespace

result<secret_string> app_jwt(const github_app& app, time_point now) {
    const auto seconds = std::chrono::floor<std::chrono::seconds>(now.time_since_epoch()).count();
    const json header{{"alg", "RS256"}, {"typ", "JWT"}};
    const json claims{{"iat", seconds - 60}, {"exp", seconds + 540}, {"iss", app.id}};
    const auto signed_part = base64url(header.dump()) + "." + base64url(claims.dump());
    const auto signature = rs256(signed_part, app.private_key);
    if (!signature) return signature.error();
    return secret_string{signed_part + "." + base64url(*signature)};
}

boost::asio::awaitable<result<secret_string>> github_app_tokens::token(
    github_app app, forge::repository_place place, std::shared_ptr<const net::client_tls> tls
) {
    // An installation covers all repositories of its owner that it may see.
    const auto whose = app.installation.empty() ? place.owner : app.installation;
    const std::string_view parts[] = {app.private_key.reveal()};
    const auto key =
        place.server.authority() + " " + app.id + " " + whose + " " + to_hex(auth::sha256(parts));
    const auto now = time_.now();
    if (const auto found = tokens_.find(key); found != tokens_.end()) {
        if (now + renewed_before < found->second.until) co_return found->second.token;
        tokens_.erase(found);
    }
    const auto jwt = app_jwt(app, now);
    if (!jwt) co_return jwt.error();
    auto call = caller(client_, place, std::move(tls), *jwt);
    if (app.installation.empty()) {
        const auto path = "/repos/" + net::encode_component(place.owner) + "/" +
                          net::encode_component(place.name) + "/installation";
        auto found = co_await call.get(path);
        if (!found) co_return found.error();
        if (!found->ok())
            co_return not_believed(call.refused(*found, "find the App's installation"));
        app.installation = std::to_string(forge::number_of(found->body, "id"));
    }
    const auto path =
        "/app/installations/" + net::encode_component(app.installation) + "/access_tokens";
    auto made = co_await call.send(forge::method::post, path, nullptr);
    if (!made) co_return made.error();
    if (!made->ok()) co_return not_believed(call.refused(*made, "get a token for the App"));
    kept fresh{secret_string{forge::text_of(made->body, "token")}, now};
    if (fresh.token.empty())
        co_return error{errc::unprocessable, "GitHub gave the App an answer without a token"};
    if (const auto end = parse_rfc3339(forge::text_of(made->body, "expires_at")))
        fresh.until = *end;
    tokens_.insert_or_assign(key, fresh);
    co_return fresh.token;
}

} // namespace sluice::promotion
