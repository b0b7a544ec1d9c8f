#include "promotion/forge/forges.hpp"
#include "promotion/forge/gitea_labels.hpp"
#include "promotion/forge/json_call.hpp"
#include "promotion/forge/reviewers.hpp"

#include <map>

// Gitea and Forgejo. `make e2e` runs these calls against a real Gitea.
namespace sluice::promotion::forge {
namespace {

using nlohmann::json;
template <class T>
using awaitable = boost::asio::awaitable<T>;

constexpr std::string_view draft_prefix = "WIP: ";

view view_of(const json& pull) {
    view v;
    v.is.number = number_of(pull, "number");
    v.is.url = text_of(pull, "html_url");
    v.is.head = text_of(member(pull, "head"), "sha");
    if (flag_of(pull, "merged")) {
        v.is.state = pipeline::pull_request_state::merged;
    } else if (text_of(pull, "state") == "closed") {
        v.is.state = pipeline::pull_request_state::closed;
    }
    v.title = text_of(pull, "title");
    v.is_draft = v.title.starts_with(draft_prefix);
    if (v.is_draft) v.title.erase(0, draft_prefix.size());
    v.body = text_of(pull, "body");
    v.merge_commit = text_of(pull, "merge_commit_sha");
    return v;
}

bool joins(const json& pull, const std::string& head, const std::string& base) {
    const auto& from = member(pull, "head");
    const auto& to = member(pull, "base");
    return text_of(from, "ref") == head && text_of(to, "ref") == base &&
           number_of(from, "repo_id") == number_of(to, "repo_id");
}

std::string titled(const std::string& title, bool is_draft) {
    return is_draft ? std::string{draft_prefix} + title : title;
}

std::string_view style_name(pipeline::merge_method how) noexcept {
    switch (how) {
    case pipeline::merge_method::squash: return "squash";
    case pipeline::merge_method::rebase: return "rebase";
    case pipeline::merge_method::merge: break;
    }
    return "merge";
}

class gitea final : public api {
public:
    explicit gitea(json_call call)
        : call_(std::move(call)), repository_(
                                      "/repos/" + net::encode_component(call_.place().owner) + "/" +
                                      net::encode_component(call_.place().name)
                                  ) {}

    // The lookup by base and head gives the oldest in any state, so the open ones are listed. Pages are counted: the
    // addresses in Gitea's Link header are those of its own configuration, which need not be ours.
    awaitable<result<std::optional<view>>> find_open(std::string head, std::string base) override {
        const auto list = repository_ +
                          "/pulls?state=open&limit=50&base_branch=" + net::encode_component(base) +
                          "&page=";
        std::int64_t seen = 0;
        for (int number = 1;; ++number) {
            auto page = co_await call_.get(list + std::to_string(number));
            if (!page) co_return page.error();
            if (!page->ok()) co_return call_.refused(*page, "look for the pull request");
            for (const auto& pull : page->body) {
                if (joins(pull, head, base)) co_return std::optional{view_of(pull)};
            }
            seen += static_cast<std::int64_t>(page->body.size());
            const bool last = page->body.empty() || (page->total >= 0 && seen >= page->total);
            if (last) co_return std::optional<view>{};
        }
    }

    awaitable<result<view>> get(std::int64_t number) override {
        auto answer = co_await call_.get_if_changed(pull(number));
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "read the pull request");
        auto v = view_of(answer->body);
        if (v.is.state == pipeline::pull_request_state::merged) {
            auto merged = co_await merged_head(number);
            if (!merged) co_return merged.error();
            v.is.head = std::move(*merged);
        }
        const auto scheduled = scheduled_.find(number);
        v.armed = scheduled != scheduled_.end() && scheduled->second == v.is.head;
        co_return call_.sound(std::move(v));
    }

    awaitable<result<view>> create(draft d) override {
        const json body{
            {"head", d.head},
            {"base", d.base},
            {"title", titled(d.title, d.is_draft)},
            {"body", d.body}
        };
        auto answer = co_await call_.send(method::post, repository_ + "/pulls", body);
        if (!answer) co_return answer.error();
        if (answer->ok()) co_return call_.sound(view_of(answer->body));
        if (answer->status != 409) {
            co_return call_.refused(
                *answer, "create the pull request from " + d.head + " to " + d.base
            );
        }
        auto found = co_await find_open(d.head, d.base);
        if (!found) co_return found.error();
        if (*found) co_return **found;
        co_return call_.refused(*answer, "create the pull request");
    }

    awaitable<result<view>> update(view v, std::string title, std::string body) override {
        const json change{{"title", titled(title, v.is_draft)}, {"body", body}};
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
            auto known = co_await gitea_label_ids(call_, repository_);
            if (!known) co_return known.error();
            std::vector<std::int64_t> ids;
            for (const auto& label : labels) {
                const auto id = known->find(label);
                if (id == known->end())
                    ignored.push_back(label);
                else
                    ids.push_back(id->second);
            }
            const json body{{"labels", ids}};
            if (!ids.empty()) {
                auto answer =
                    co_await call_.send(method::post, issue(v.is.number) + "/labels", body);
                if (!answer) co_return answer.error();
                if (!answer->ok()) co_return call_.refused(*answer, "label the pull request");
            }
        }
        // Singly: one that does not exist makes Gitea refuse all.
        for (const auto& reviewer : reviewers) {
            const auto split = split_reviewers({reviewer});
            const json body{{"reviewers", split.users}, {"team_reviewers", split.teams}};
            auto answer =
                co_await call_.send(method::post, pull(v.is.number) + "/requested_reviewers", body);
            if (!answer) co_return answer.error();
            if (answer->ok()) continue;
            const bool unknown = answer->status == 404 || answer->status == 422;
            if (!unknown) co_return call_.refused(*answer, "ask for reviews");
            ignored.push_back(reviewer);
        }
        co_return ignored;
    }

    awaitable<result<auto_merge>> merge_when_ready(view v, pipeline::merge_method how) override {
        // From 1.26 on keys are read with their case, and it is "do"; before, and in Forgejo, any case will do.
        const json body{
            {"do", style_name(how)},
            {"head_commit_id", v.is.head},
            {"merge_when_checks_succeed", true}
        };
        auto answer = co_await call_.send(method::post, pull(v.is.number) + "/merge", body);
        if (!answer) co_return answer.error();
        const bool scheduled =
            answer->status == 201 || (answer->status == 409 && answer->says("scheduled"));
        if (scheduled) {
            scheduled_[v.is.number] = v.is.head;
            co_return auto_merge::armed;
        }
        if (answer->ok()) co_return auto_merge::merged;
        if (answer->status != 405) co_return call_.refused(*answer, "merge the pull request");
        if (answer->says("merge style")) {
            co_return error{
                errc::unprocessable,
                "Gitea does not allow " + std::string{style_name(how)} +
                    " merges in this repository: allow them in its settings or change "
                    "autoMerge.method"
            };
        }
        if (answer->says("not allowed to merge")) {
            auto refused = call_.refused(*answer, "merge the pull request");
            refused.code = errc::unauthenticated;
            co_return refused;
        }
        // Without a word it was merged by another; else it is still looked at, a draft, or its checks are not done.
        auto now = co_await get(v.is.number);
        if (!now) co_return now.error();
        co_return now->is.state == pipeline::pull_request_state::merged ? auto_merge::merged
                                                                        : auto_merge::not_yet;
    }

    // Asked for always: after a restart nobody knows whether it is armed.
    awaitable<outcome> disarm(view v) override {
        scheduled_.erase(v.is.number);
        auto answer = co_await call_.send(method::remove, pull(v.is.number) + "/merge", nullptr);
        if (!answer) co_return answer.error();
        if (answer->ok() || answer->status == 404) co_return outcome{};
        co_return call_.refused(*answer, "turn auto-merge off");
    }

private:
    // Of a merged one Gitea tells the tip of its branch, whatever was pushed there since; this ref stays where it was.
    awaitable<result<std::string>> merged_head(std::int64_t number) {
        const auto ref = "/git/refs/pull/" + std::to_string(number) + "/head";
        auto answer = co_await call_.get(repository_ + ref);
        if (!answer) co_return answer.error();
        if (answer->status == 404) co_return std::string{};
        if (!answer->ok()) co_return call_.refused(*answer, "read what was merged");
        // One ref is told as itself or as a list of one, as the version likes.
        const auto& body = answer->body;
        const auto& told = body.is_array() && !body.empty() ? body.front() : body;
        co_return text_of(member(told, "object"), "sha");
    }

    [[nodiscard]] std::string pull(std::int64_t number) const {
        return repository_ + "/pulls/" + std::to_string(number);
    }
    [[nodiscard]] std::string issue(std::int64_t number) const {
        return repository_ + "/issues/" + std::to_string(number);
    }

    json_call call_;
    std::string repository_;
    // Gitea does not tell what is armed, so that we remember what we armed, with its head.
    std::map<std::int64_t, std::string> scheduled_;
};

} // namespace

std::unique_ptr<api>
make_gitea(net::http_client& client, json_call::options options, const credentials& login) {
    options.called = "Gitea";
    options.authorization = login.token.empty()
                                ? basic(login)
                                : secret_string{"token " + std::string{login.token.reveal()}};
    options.headers = {{"Accept", "application/json"}, {"User-Agent", "sluice"}};
    return std::make_unique<gitea>(json_call{client, std::move(options)});
}

} // namespace sluice::promotion::forge
