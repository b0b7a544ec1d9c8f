#include "promotion/forge/json_call.hpp"

#include "base/bytes.hpp"

namespace sluice::promotion::forge {
namespace {

constexpr std::string_view rest_resource = "core";

std::string_view verb(method m) noexcept {
    switch (m) {
    case method::get: return "GET";
    case method::post: return "POST";
    case method::put: return "PUT";
    case method::patch: return "PATCH";
    case method::remove: return "DELETE";
    }
    return "GET";
}

std::string_view peer_name(pipeline::forge type) noexcept {
    switch (type) {
    case pipeline::forge::github: return "github";
    case pipeline::forge::gitlab: return "gitlab";
    case pipeline::forge::gitea: return "gitea";
    case pipeline::forge::bitbucket_server: return "bitbucket-server";
    case pipeline::forge::git: break;
    }
    return "git";
}

} // namespace

net::http_call json_call::call(method m, net::url to) const {
    net::http_call made;
    made.method = verb(m);
    made.url = std::move(to);
    made.headers = options_.headers;
    made.authorization = options_.authorization;
    made.tls = options_.tls;
    made.peer = peer_name(options_.type);
    return made;
}

result<reply>
json_call::understand(const net::http_answer& answer, std::string_view resource) const {
    if (const auto& a = options_.account; a && a->learn(resource, answer)) {
        const auto told = a->may_ask(resource);
        if (!told) return told.error();
    }
    return read_reply(answer, options_.called, options_.token.reveal());
}

boost::asio::awaitable<result<reply>> json_call::get(std::string path) {
    auto answer = co_await read(options_.place.at(path), false);
    co_return answer;
}

boost::asio::awaitable<result<reply>> json_call::get_if_changed(std::string path) {
    auto answer = co_await read(options_.place.at(path), true);
    co_return answer;
}

boost::asio::awaitable<result<reply>> json_call::get_next(std::string path_from_root) {
    auto answer = co_await read(options_.place.server.at(path_from_root), false);
    co_return answer;
}

boost::asio::awaitable<result<reply>> json_call::read(net::url from, bool keep) {
    const auto who = options_.account;
    auto request = call(method::get, from);
    std::string kept;
    if (who) {
        if (auto allowed = who->may_ask(rest_resource); !allowed) co_return allowed.error();
        if (const auto* before = keep ? who->answers().find(from.target) : nullptr) {
            request.headers.emplace_back("If-None-Match", before->etag);
            kept = before->body; // the entry may go while we wait
        }
    }
    auto answer = co_await client_.send(std::move(request));
    if (!answer) co_return answer.error();
    if (answer->status == 304 && !kept.empty()) {
        answer->status = 200;
        answer->body = std::move(kept);
        answer->headers.emplace_back("Content-Type", "application/json");
    }
    auto understood = understand(*answer, rest_resource);
    const auto etag = answer->header("etag");
    if (who && keep && etag && understood && understood->status == 200) {
        who->answers().keep({from.target, std::string{*etag}, answer->body});
    }
    co_return understood;
}

boost::asio::awaitable<result<reply>>
json_call::send(method m, std::string path, nlohmann::json body) {
    auto answer =
        co_await write(m, options_.place.at(path), std::move(body), std::string{rest_resource});
    co_return answer;
}

boost::asio::awaitable<result<reply>> json_call::graphql(nlohmann::json body) {
    const auto to = options_.place.server.at(options_.place.graphql);
    auto answer = co_await write(method::post, to, std::move(body), "graphql");
    if (!answer || !answer->body.is_object()) co_return answer;
    answer->message = message_of(answer->body, options_.token.reveal());
    for (const auto& each : member(answer->body, "errors")) {
        if (text_of(each, "type") != "RATE_LIMITED" || !options_.account) continue;
        options_.account->refused("graphql");
        co_return options_.account->may_ask("graphql").error();
    }
    co_return answer;
}

boost::asio::awaitable<result<reply>>
json_call::write(method m, net::url to, nlohmann::json body, std::string resource) {
    const auto who = options_.account;
    auto request = call(m, std::move(to));
    if (!body.is_null()) {
        request.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
        request.headers.emplace_back("Content-Type", "application/json");
    }
    std::shared_ptr<account::turn> turn;
    if (who) {
        if (auto allowed = who->may_ask(resource); !allowed) co_return allowed.error();
        auto granted = co_await who->write_turn();
        if (!granted) co_return granted.error();
        turn = std::move(*granted);
    }
    auto answer = co_await client_.send(std::move(request));
    if (!answer) co_return answer.error();
    co_return understand(*answer, resource);
}

result<view> json_call::sound(view v) const {
    if (v.is.number > 0) return v;
    return error{
        errc::unprocessable,
        options_.called + " answered with something else than a pull request: check apiURL"
    };
}

secret_string bearer(const credentials& login) {
    const auto& token = login.token.empty() ? login.password : login.token;
    if (token.empty()) return {};
    return secret_string{"Bearer " + std::string{token.reveal()}};
}

secret_string basic(const credentials& login) {
    if (login.password.empty()) return {};
    const secret_string pair{login.username + ":" + std::string{login.password.reveal()}};
    return secret_string{"Basic " + to_base64(pair.reveal())};
}

} // namespace sluice::promotion::forge
