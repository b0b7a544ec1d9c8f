#include "promotion/forge/forges.hpp"
#include "promotion/forge/json_call.hpp"
#include "promotion/forge/reviewers.hpp"

// GitHub, GitHub Enterprise Server and ghe.com. Requests are checked against GitHub's published description (tests/openapi).
namespace sluice::promotion::forge {
namespace {

using nlohmann::json;
template <class T>
using awaitable = boost::asio::awaitable<T>;

view view_of(const json& pull) {
    view v;
    v.is.number = number_of(pull, "number");
    v.is.url = text_of(pull, "html_url");
    v.is.head = text_of(member(pull, "head"), "sha");
    const bool merged = flag_of(pull, "merged") || !text_of(pull, "merged_at").empty();
    if (merged) {
        v.is.state = pipeline::pull_request_state::merged;
        v.merge_commit = text_of(pull, "merge_commit_sha"); // of an open one it is only a trial
    } else if (text_of(pull, "state") == "closed") {
        v.is.state = pipeline::pull_request_state::closed;
    }
    v.title = text_of(pull, "title");
    v.body = text_of(pull, "body");
    v.handle = text_of(pull, "node_id");
    v.armed = !member(pull, "auto_merge").empty();
    v.is_draft = flag_of(pull, "draft");
    return v;
}

// A fork of the same owner can have a branch of the same name.
bool joins(const json& pull, const std::string& head, const std::string& base) {
    const auto& from = member(pull, "head");
    const auto& to = member(pull, "base");
    return text_of(from, "ref") == head && text_of(to, "ref") == base &&
           number_of(member(from, "repo"), "id") == number_of(member(to, "repo"), "id");
}

std::string_view graphql_name(pipeline::merge_method how) noexcept {
    switch (how) {
    case pipeline::merge_method::squash: return "SQUASH";
    case pipeline::merge_method::rebase: return "REBASE";
    case pipeline::merge_method::merge: break;
    }
    return "MERGE";
}

std::string_view rest_name(pipeline::merge_method how) noexcept {
    switch (how) {
    case pipeline::merge_method::squash: return "squash";
    case pipeline::merge_method::rebase: return "rebase";
    case pipeline::merge_method::merge: break;
    }
    return "merge";
}

class github final : public api {
public:
    explicit github(json_call call)
        : call_(std::move(call)), repository_(
                                      "/repos/" + net::encode_component(call_.place().owner) + "/" +
                                      net::encode_component(call_.place().name)
                                  ) {}

    awaitable<result<std::optional<view>>> find_open(std::string head, std::string base) override {
        // Without the owner GitHub ignores the filter.
        const auto first = repository_ + "/pulls?state=open&per_page=100&head=" +
                           net::encode_component(call_.place().owner + ":" + head) +
                           "&base=" + net::encode_component(base);
        auto page = co_await call_.get(first);
        for (;;) {
            if (!page) co_return page.error();
            if (!page->ok()) co_return call_.refused(*page, "look for the pull request");
            for (const auto& pull : page->body) {
                if (joins(pull, head, base)) co_return std::optional{view_of(pull)};
            }
            if (page->next.empty()) co_return std::optional<view>{};
            page = co_await call_.get_next(page->next);
        }
    }

    awaitable<result<view>> get(std::int64_t number) override {
        auto answer = co_await call_.get_if_changed(pull(number));
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "read the pull request");
        co_return call_.sound(view_of(answer->body));
    }

    awaitable<result<view>> create(draft d) override {
        json body{{"title", d.title}, {"head", d.head}, {"base", d.base}, {"body", d.body}};
        if (d.is_draft) body["draft"] = true;
        auto answer = co_await call_.send(method::post, repository_ + "/pulls", body);
        if (!answer) co_return answer.error();
        if (answer->ok()) co_return call_.sound(view_of(answer->body));
        if (answer->status == 422 && answer->says("already exists")) {
            auto found = co_await find_open(d.head, d.base);
            if (!found) co_return found.error();
            if (*found) co_return **found;
            co_return error{
                errc::unavailable,
                "the pull request that GitHub says exists is gone; tried again later"
            };
        }
        auto refused = call_.refused(*answer, "create the pull request");
        if (answer->says("No commits between") || answer->says("field: head"))
            refused.code = errc::conflict;
        co_return refused;
    }

    awaitable<result<view>> update(view v, std::string title, std::string body) override {
        const json change{{"title", title}, {"body", body}};
        auto answer = co_await call_.send(method::patch, pull(v.is.number), change);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "update the pull request");
        co_return call_.sound(view_of(answer->body));
    }

    awaitable<outcome> close(view v, std::string comment) override {
        const json change{{"state", "closed"}};
        auto answer = co_await call_.send(method::patch, pull(v.is.number), change);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "close the pull request");
        if (comment.empty()) co_return outcome{};
        const json text{{"body", comment}};
        auto said = co_await call_.send(method::post, issue(v.is.number) + "/comments", text);
        if (!said) co_return said.error();
        if (!said->ok()) co_return call_.refused(*said, "comment on the pull request");
        co_return outcome{};
    }

    awaitable<result<std::vector<std::string>>>
    decorate(view v, std::vector<std::string> labels, std::vector<std::string> reviewers) override {
        std::vector<std::string> ignored;
        if (!labels.empty()) {
            const json body{{"labels", labels}}; // missing ones are made
            auto answer = co_await call_.send(method::post, issue(v.is.number) + "/labels", body);
            if (!answer) co_return answer.error();
            if (!answer->ok()) co_return call_.refused(*answer, "label the pull request");
        }
        if (reviewers.empty()) co_return ignored;
        const auto path = pull(v.is.number) + "/requested_reviewers";
        auto all = co_await call_.send(method::post, path, requested(reviewers));
        if (!all) co_return all.error();
        if (all->ok()) co_return ignored;
        if (all->status != 422) co_return call_.refused(*all, "ask for reviews");
        // One who may not review (the author among them) makes GitHub refuse all.
        for (const auto& reviewer : reviewers) {
            const auto body = requested({reviewer});
            auto one = co_await call_.send(method::post, path, body);
            if (!one) co_return one.error();
            if (one->status == 422)
                ignored.push_back(reviewer);
            else if (!one->ok())
                co_return call_.refused(*one, "ask for reviews");
        }
        co_return ignored;
    }

    awaitable<result<auto_merge>> merge_when_ready(view v, pipeline::merge_method how) override {
        const json request{
            {"query",
             "mutation($id:ID!,$how:PullRequestMergeMethod!,$head:GitObjectID!){"
             "enablePullRequestAutoMerge(input:"
             "{pullRequestId:$id,mergeMethod:$how,expectedHeadOid:$head}){pullRequest{number}}}"},
            {"variables", {{"id", v.handle}, {"how", graphql_name(how)}, {"head", v.is.head}}}
        };
        auto answer = co_await call_.graphql(request);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "turn auto-merge on");
        if (member(answer->body, "errors").empty()) co_return auto_merge::armed;
        if (answer->says("not allowed on this repository")) co_return not_allowed(how);
        const auto kind = error_kind(*answer);
        if (kind == "FORBIDDEN" || kind == "INSUFFICIENT_SCOPES") answer->status = 403;
        // All else but "unprocessable" is about the question, which asking again does not mend.
        if (kind != "UNPROCESSABLE") co_return call_.refused(*answer, "turn auto-merge on");
        // "Clean": nothing to wait for. Where auto-merge is off, the merge itself tells whether there is.
        const bool now = answer->says("clean status") || answer->says("has_hooks status") ||
                         answer->says("uto merge is not allowed");
        if (!now) co_return auto_merge::not_yet;
        auto merged = co_await merge(v, how);
        co_return merged;
    }

    awaitable<outcome> disarm(view v) override {
        auto before = co_await get(v.is.number);
        if (!before) co_return before.error();
        if (!before->armed) co_return outcome{};
        const json request{
            {"query",
             "mutation($id:ID!){disablePullRequestAutoMerge(input:{pullRequestId:$id}){pullRequest{"
             "number}}}"},
            {"variables", {{"id", before->handle}}}
        };
        auto answer = co_await call_.graphql(request);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "turn auto-merge off");
        if (member(answer->body, "errors").empty()) co_return outcome{};
        auto after = co_await get(v.is.number);
        if (!after) co_return after.error();
        if (!after->armed) co_return outcome{};
        co_return call_.refused(*answer, "turn auto-merge off");
    }

private:
    [[nodiscard]] std::string pull(std::int64_t number) const {
        return repository_ + "/pulls/" + std::to_string(number);
    }
    [[nodiscard]] std::string issue(std::int64_t number) const {
        return repository_ + "/issues/" + std::to_string(number);
    }

    static json requested(const std::vector<std::string>& names) {
        const auto split = split_reviewers(names);
        json body{{"reviewers", split.users}};
        if (!split.teams.empty()) body["team_reviewers"] = split.teams;
        return body;
    }

    static error not_allowed(pipeline::merge_method how) {
        return {
            errc::unprocessable,
            "GitHub does not allow " + std::string{rest_name(how)} +
                " merges in this repository: allow them in its settings or change autoMerge.method"
        };
    }

    static std::string error_kind(const reply& r) {
        const auto& errors = member(r.body, "errors");
        return errors.is_array() && !errors.empty() ? text_of(errors.front(), "type")
                                                    : std::string{};
    }

    awaitable<result<auto_merge>> merge(view v, pipeline::merge_method how) {
        const json body{{"sha", v.is.head}, {"merge_method", rest_name(how)}};
        auto answer = co_await call_.send(method::put, pull(v.is.number) + "/merge", body);
        if (!answer) co_return answer.error();
        if (answer->ok()) co_return auto_merge::merged;
        if (answer->says("not allowed on this repository")) co_return not_allowed(how);
        if (answer->status == 405) co_return auto_merge::not_yet;
        co_return call_.refused(*answer, "merge the pull request"); // 409: the head moved
    }

    json_call call_;
    std::string repository_;
};

} // namespace

std::unique_ptr<api>
make_github(net::http_client& client, json_call::options options, const credentials& login) {
    options.called = "GitHub";
    options.authorization = bearer(login);
    options.headers = {
        {"Accept", "application/vnd.github+json"},
        {"X-GitHub-Api-Version", "2022-11-28"},
        {"User-Agent", "sluice"}, // without one GitHub answers 403
    };
    return std::make_unique<github>(json_call{client, std::move(options)});
}

} // namespace sluice::promotion::forge
