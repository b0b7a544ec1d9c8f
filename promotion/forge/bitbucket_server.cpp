#include "promotion/forge/forges.hpp"
#include "promotion/forge/json_call.hpp"

#include <algorithm>

// Bitbucket Server and Data Center. Not verified against a running one: the field `draft` (since 8.18; older ones ignore it),
// the names of merge strategies, whether a push makes a new version of the pull request (so the version is read before
// each change, and again when it is out of date), and what the refusal of an unknown reviewer is called (so none is asked
// by name). Its pull requests have no labels, and its own auto-merge is not used: we merge when it says it can be merged.
namespace sluice::promotion::forge {
namespace {

using nlohmann::json;
template <class T>
using awaitable = boost::asio::awaitable<T>;

constexpr std::string_view branch_prefix = "refs/heads/";

view view_of(const json& pull) {
    view v;
    v.is.number = number_of(pull, "id");
    const auto& self = member(member(pull, "links"), "self");
    if (self.is_array() && !self.empty()) v.is.url = text_of(self.front(), "href");
    v.is.head = text_of(member(pull, "fromRef"), "latestCommit");
    const auto state = text_of(pull, "state");
    if (state == "MERGED") v.is.state = pipeline::pull_request_state::merged;
    if (state == "DECLINED") v.is.state = pipeline::pull_request_state::closed;
    v.title = text_of(pull, "title");
    v.body = text_of(pull, "description");
    v.handle = std::to_string(number_of(pull, "version"));
    v.is_draft = flag_of(pull, "draft");
    v.merge_commit = text_of(member(member(pull, "properties"), "mergeCommit"), "id");
    return v;
}

bool is_exception(const reply& r, std::string_view name) {
    const auto& errors = member(r.body, "errors");
    return std::ranges::any_of(errors, [&](const json& e) {
        return text_of(e, "exceptionName").ends_with(name);
    });
}

class bitbucket_server final : public api {
public:
    explicit bitbucket_server(json_call call)
        : call_(std::move(call)),
          pulls_(
              "/projects/" + net::encode_component(call_.place().owner) + "/repos/" +
              net::encode_component(call_.place().name) + "/pull-requests"
          ) {}

    awaitable<result<std::optional<view>>> find_open(std::string head, std::string base) override {
        const auto list = pulls_ + "?state=OPEN&direction=OUTGOING&limit=100&at=" +
                          net::encode_component(std::string{branch_prefix} + head) + "&start=";
        std::int64_t start = 0;
        for (;;) {
            auto page = co_await call_.get(list + std::to_string(start));
            if (!page) co_return page.error();
            if (!page->ok()) co_return call_.refused(*page, "look for the pull request");
            for (const auto& pull : member(page->body, "values")) {
                if (ref(pull, "fromRef") == head && ref(pull, "toRef") == base &&
                    !is_from_fork(pull)) {
                    co_return std::optional{view_of(pull)};
                }
            }
            const auto next = number_of(page->body, "nextPageStart");
            if (flag_of(page->body, "isLastPage") || next <= start) co_return std::optional<view>{};
            start = next;
        }
    }

    awaitable<result<view>> get(std::int64_t number) override {
        auto pull = co_await read(number);
        if (!pull) co_return pull.error();
        co_return call_.sound(view_of(*pull));
    }

    awaitable<result<view>> create(draft d) override {
        json body{
            {"title", d.title},
            {"description", d.body},
            {"fromRef", branch(d.head)},
            {"toRef", branch(d.base)},
        };
        if (d.is_draft) body["draft"] = true;
        auto answer = co_await call_.send(method::post, pulls_, body);
        if (!answer) co_return answer.error();
        if (answer->ok()) co_return call_.sound(view_of(answer->body));
        if (!is_exception(*answer, "DuplicatePullRequestException")) {
            co_return call_.refused(*answer, "create the pull request");
        }
        auto found = co_await find_open(d.head, d.base);
        if (!found) co_return found.error();
        if (*found) co_return **found;
        co_return call_.refused(*answer, "create the pull request");
    }

    awaitable<result<view>> update(view v, std::string title, std::string body) override {
        const json change{{"title", title}, {"description", body}};
        auto answer = co_await rewrite(v.is.number, change);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "update the pull request");
        co_return call_.sound(view_of(answer->body));
    }

    awaitable<outcome> close(view v, std::string comment) override {
        auto answer = co_await with_version(v.is.number, "/decline");
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "decline the pull request");
        if (comment.empty()) co_return outcome{};
        const json text{{"text", comment}};
        auto said = co_await call_.send(method::post, pull(v.is.number) + "/comments", text);
        if (!said) co_return said.error();
        if (!said->ok()) co_return call_.refused(*said, "comment on the pull request");
        co_return outcome{};
    }

    awaitable<result<std::vector<std::string>>>
    decorate(view v, std::vector<std::string> labels, std::vector<std::string> reviewers) override {
        auto ignored = std::move(labels);
        // Singly: one that does not exist makes Bitbucket refuse all.
        for (const auto& reviewer : reviewers) {
            const json change{{"add_reviewer", reviewer}};
            auto answer = co_await rewrite(v.is.number, change);
            if (!answer) co_return answer.error();
            if (answer->ok()) continue;
            const bool unknown =
                (answer->status == 400 || answer->status == 409) && !is_out_of_date(*answer);
            if (!unknown) co_return call_.refused(*answer, "ask for reviews");
            ignored.push_back(reviewer);
        }
        co_return ignored;
    }

    awaitable<result<auto_merge>> merge_when_ready(view v, pipeline::merge_method how) override {
        for (bool again = true;; again = false) {
            auto now = co_await get(v.is.number);
            if (!now) co_return now.error();
            if (now->is.state == pipeline::pull_request_state::merged) co_return auto_merge::merged;
            if (now->is.head != v.is.head) {
                co_return error{
                    errc::conflict, "the head of the pull request moved before the merge"
                };
            }
            auto check = co_await call_.get(pull(v.is.number) + "/merge");
            if (!check) co_return check.error();
            if (!check->ok())
                co_return call_.refused(*check, "ask whether the pull request can be merged");
            if (!flag_of(check->body, "canMerge")) co_return auto_merge::not_yet;
            const auto path = pull(v.is.number) + "/merge?version=" + now->handle;
            auto answer = co_await call_.send(method::post, path, merge_body(how));
            if (!answer) co_return answer.error();
            if (answer->ok()) co_return auto_merge::merged;
            if (answer->status != 409) co_return call_.refused(*answer, "merge the pull request");
            if (!again || !is_out_of_date(*answer))
                co_return auto_merge::not_yet; // vetoed meanwhile
        }
    }

    awaitable<outcome> disarm(view /*v*/) override {
        co_return outcome{}; // nothing is ever armed
    }

private:
    [[nodiscard]] std::string pull(std::int64_t number) const {
        return pulls_ + "/" + std::to_string(number);
    }
    [[nodiscard]] json branch(const std::string& name) const {
        const json project{{"key", call_.place().owner}};
        return {
            {"id", std::string{branch_prefix} + name},
            {"repository", {{"slug", call_.place().name}, {"project", project}}},
        };
    }
    static std::string ref(const json& pull, std::string_view side) {
        const auto id = text_of(member(pull, side), "id");
        return id.starts_with(branch_prefix) ? id.substr(branch_prefix.size()) : id;
    }
    static bool is_from_fork(const json& pull) {
        const auto repository = [&](std::string_view side) {
            return number_of(member(member(pull, side), "repository"), "id");
        };
        return repository("fromRef") != repository("toRef");
    }
    static bool is_out_of_date(const reply& r) {
        return r.status == 409 && is_exception(r, "PullRequestOutOfDateException");
    }
    // None for a merge commit: the project's own default.
    static json merge_body(pipeline::merge_method how) {
        switch (how) {
        case pipeline::merge_method::squash: return {{"strategyId", "squash"}};
        case pipeline::merge_method::rebase: return {{"strategyId", "rebase-no-ff"}};
        case pipeline::merge_method::merge: break;
        }
        return nullptr;
    }

    awaitable<result<json>> read(std::int64_t number) {
        auto answer = co_await call_.get_if_changed(pull(number));
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "read the pull request");
        co_return std::move(answer->body);
    }

    // What is not sent is lost, the reviewers among it; so all is sent, as it is now but for `change`.
    static json rewritten(const json& pull, json change) {
        json reviewers = json::array();
        const auto add = [&](const std::string& name) {
            reviewers.push_back({{"user", {{"name", name}}}});
        };
        for (const auto& each : member(pull, "reviewers"))
            add(text_of(member(each, "user"), "name"));
        if (const auto added = text_of(change, "add_reviewer"); !added.empty()) add(added);
        json body{
            {"id", number_of(pull, "id")},
            {"version", number_of(pull, "version")},
            {"title", change.value("title", text_of(pull, "title"))},
            {"description", change.value("description", text_of(pull, "description"))},
            {"reviewers", std::move(reviewers)},
        };
        if (flag_of(pull, "draft")) body["draft"] = true;
        return body;
    }

    // Reads again once when somebody else changed it in between.
    awaitable<result<reply>> rewrite(std::int64_t number, json change) {
        for (bool again = true;; again = false) {
            auto now = co_await read(number);
            if (!now) co_return now.error();
            auto answer = co_await call_.send(method::put, pull(number), rewritten(*now, change));
            if (!answer || !again || !is_out_of_date(*answer)) co_return answer;
        }
    }

    awaitable<result<reply>> with_version(std::int64_t number, std::string act) {
        for (bool again = true;; again = false) {
            auto now = co_await get(number);
            if (!now) co_return now.error();
            if (now->is.state != pipeline::pull_request_state::open) {
                reply done; // somebody was faster
                done.status = 200;
                co_return done;
            }
            auto answer = co_await call_.send(
                method::post, pull(number) + act + "?version=" + now->handle, nullptr
            );
            if (!answer || !again || !is_out_of_date(*answer)) co_return answer;
        }
    }

    json_call call_;
    std::string pulls_;
};

} // namespace

std::unique_ptr<api> make_bitbucket_server(
    net::http_client& client, json_call::options options, const credentials& login
) {
    options.called = "Bitbucket";
    options.authorization = login.token.empty() ? basic(login) : bearer(login);
    options.headers = {
        {"Accept", "application/json"},
        {"User-Agent", "sluice"},
        {"X-Atlassian-Token", "no-check"}, // else its XSRF check refuses what is no browser's form
    };
    return std::make_unique<bitbucket_server>(json_call{client, std::move(options)});
}

} // namespace sluice::promotion::forge
