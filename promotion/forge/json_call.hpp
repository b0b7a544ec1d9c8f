#pragma once

#include "promotion/credentials.hpp"
#include "promotion/forge/forge.hpp"
#include "promotion/forge/rate_limits.hpp"
#include "promotion/forge/reply.hpp"
#include "promotion/forge/repository_place.hpp"

#include <boost/asio/awaitable.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace sluice::promotion::forge {

enum class method { get, post, put, patch, remove };

// Sends JSON to one forge for one account, keeping to its limits. What comes back as a reply is for the caller to read,
// also when it is a refusal (4xx); transient trouble, limits and web pages are errors already.
class json_call {
public:
    struct options {
        pipeline::forge type = pipeline::forge::github;
        std::string called; // for people: "GitHub"
        repository_place place;
        std::vector<std::pair<std::string, std::string>> headers;
        secret_string authorization;
        secret_string token; // never repeated in an error
        std::shared_ptr<const net::client_tls> tls;
        std::shared_ptr<forge::account> account; // null: without limits and cache
    };
    json_call(net::http_client& client, options o) : client_(client), options_(std::move(o)) {}

    // `path` begins below the API's path.
    [[nodiscard]] boost::asio::awaitable<result<reply>> get(std::string path);
    // For what is looked at often: asks whether the answer it kept still holds, which costs no quota.
    [[nodiscard]] boost::asio::awaitable<result<reply>> get_if_changed(std::string path);
    // A null body sends none.
    [[nodiscard]] boost::asio::awaitable<result<reply>>
    send(method m, std::string path, nlohmann::json body);
    // GitHub's other API. GraphQL's refusals are in the reply's body.
    [[nodiscard]] boost::asio::awaitable<result<reply>> graphql(nlohmann::json body);
    // The page a Link header named.
    [[nodiscard]] boost::asio::awaitable<result<reply>> get_next(std::string path_from_root);

    [[nodiscard]] error refused(const reply& r, std::string_view doing) const {
        return refusal(r, options_.called, doing);
    }
    // Another service's JSON is no pull request: apiURL leads astray.
    [[nodiscard]] result<view> sound(view v) const;
    [[nodiscard]] const repository_place& place() const noexcept { return options_.place; }
    [[nodiscard]] const std::shared_ptr<forge::account>& account() const noexcept {
        return options_.account;
    }

private:
    [[nodiscard]] net::http_call call(method m, net::url to) const;
    [[nodiscard]] boost::asio::awaitable<result<reply>> read(net::url from, bool keep);
    [[nodiscard]] boost::asio::awaitable<result<reply>>
    write(method m, net::url to, nlohmann::json body, std::string resource);
    [[nodiscard]] result<reply>
    understand(const net::http_answer& answer, std::string_view resource) const;

    net::http_client& client_;
    options options_;
};

// For all forges: what the credentials say in Authorization.
[[nodiscard]] secret_string bearer(const credentials& login);
[[nodiscard]] secret_string basic(const credentials& login);

} // namespace sluice::promotion::forge
