#include "promotion/forge/forge.hpp"

#include "base/failpoint.hpp"
#include "promotion/forge/forges.hpp"

namespace sluice::promotion::forge {
namespace {

template <class T>
using awaitable = boost::asio::awaitable<T>;

// The places between our memory and the forge's, where tests stop the process.
class with_failpoints final : public api {
public:
    explicit with_failpoints(std::unique_ptr<api> inner) : inner_(std::move(inner)) {}

    awaitable<result<std::optional<view>>> find_open(std::string head, std::string base) override {
        return inner_->find_open(std::move(head), std::move(base));
    }
    awaitable<result<view>> get(std::int64_t number) override { return inner_->get(number); }
    awaitable<result<view>> create(draft d) override {
        failpoint("forge.before_create");
        auto created = co_await inner_->create(std::move(d));
        failpoint("forge.after_create");
        co_return created;
    }
    awaitable<result<view>> update(view v, std::string title, std::string body) override {
        failpoint("forge.before_update");
        auto updated = co_await inner_->update(std::move(v), std::move(title), std::move(body));
        failpoint("forge.after_update");
        co_return updated;
    }
    awaitable<outcome> close(view v, std::string comment) override {
        failpoint("forge.before_close");
        auto closed = co_await inner_->close(std::move(v), std::move(comment));
        failpoint("forge.after_close");
        co_return closed;
    }
    awaitable<result<std::vector<std::string>>>
    decorate(view v, std::vector<std::string> labels, std::vector<std::string> reviewers) override {
        failpoint("forge.before_decorate");
        auto told =
            co_await inner_->decorate(std::move(v), std::move(labels), std::move(reviewers));
        failpoint("forge.after_decorate");
        co_return told;
    }
    awaitable<result<auto_merge>> merge_when_ready(view v, pipeline::merge_method how) override {
        failpoint("forge.before_merge");
        auto merged = co_await inner_->merge_when_ready(std::move(v), how);
        failpoint("forge.after_merge");
        co_return merged;
    }
    awaitable<outcome> disarm(view v) override {
        failpoint("forge.before_disarm");
        auto disarmed = co_await inner_->disarm(std::move(v));
        failpoint("forge.after_disarm");
        co_return disarmed;
    }

private:
    std::unique_ptr<api> inner_;
};

std::unique_ptr<api>
of_type(net::http_client& client, json_call::options options, const credentials& login) {
    switch (options.type) {
    case pipeline::forge::github: return make_github(client, std::move(options), login);
    case pipeline::forge::gitlab: return make_gitlab(client, std::move(options), login);
    case pipeline::forge::gitea: return make_gitea(client, std::move(options), login);
    case pipeline::forge::bitbucket_server:
        return make_bitbucket_server(client, std::move(options), login);
    case pipeline::forge::git: break;
    }
    return nullptr;
}

} // namespace

result<std::unique_ptr<api>>
make(const connection& c, const pipeline::pull_request_strategy& strategy, credentials login) {
    if (strategy.type == pipeline::forge::git) {
        return error{
            errc::unsupported,
            "type git has no pull requests: the branch is pushed, and that is all"
        };
    }
    auto place = place_of(strategy.type, strategy.url, strategy.api_url);
    if (!place) return place.error();
    json_call::options options;
    options.type = strategy.type;
    options.account = c.limits->of(strategy.type, place->server.authority(), login.identity);
    options.place = std::move(*place);
    options.tls = login.tls;
    options.token = login.token.empty() ? login.password : login.token;
    return std::unique_ptr<api>{
        std::make_unique<with_failpoints>(of_type(*c.client, std::move(options), login))
    };
}

} // namespace sluice::promotion::forge
