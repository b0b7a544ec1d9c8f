#include "promotion/forge/forges.hpp"
#include "promotion/forge/json_call.hpp"

#include <algorithm>
#include <charconv>

// GitLab, its own and self-managed. Not verified against a running one, so both readings are dealt with: auto-merge is asked
// for by its new name (auto_merge, since 17.11) and its old (merge_when_pipeline_succeeds); without any pipeline it is refused
// (405) by some versions, and then a mergeable one is merged at once.
namespace sluice::promotion::forge {
namespace {

using nlohmann::json;
template <class T>
using awaitable = boost::asio::awaitable<T>;

constexpr std::string_view draft_prefix = "Draft: ";

view view_of(const json& request) {
    view v;
    v.is.number = number_of(request, "iid");
    v.is.url = text_of(request, "web_url");
    v.is.head = text_of(request, "sha");
    const auto state = text_of(request, "state"); // opened, locked (being merged), closed, merged
    if (state == "merged") v.is.state = pipeline::pull_request_state::merged;
    if (state == "closed") v.is.state = pipeline::pull_request_state::closed;
    v.title = text_of(request, "title");
    v.is_draft = v.title.starts_with(draft_prefix);
    if (v.is_draft) v.title.erase(0, draft_prefix.size());
    v.body = text_of(request, "description");
    v.armed = flag_of(request, "merge_when_pipeline_succeeds");
    v.merge_commit = text_of(request, "merge_commit_sha");
    if (v.merge_commit.empty()) v.merge_commit = text_of(request, "squash_commit_sha");
    return v;
}

std::string titled(const std::string& title, bool is_draft) {
    return is_draft ? std::string{draft_prefix} + title : title;
}

// "Another open merge request already exists for this source branch: !12"
std::int64_t existing_number(const std::string& message) {
    const auto mark = message.rfind('!');
    std::int64_t number = 0;
    if (mark == std::string::npos) return number;
    std::from_chars(message.data() + mark + 1, message.data() + message.size(), number);
    return number;
}

std::string joined(const std::vector<std::string>& names) {
    std::string all;
    for (const auto& name : names) all += (all.empty() ? "" : ",") + name;
    return all;
}

class gitlab final : public api {
public:
    explicit gitlab(json_call call)
        : call_(std::move(call)),
          requests_(
              "/projects/" + net::encode_component(call_.place().owner + "/" + call_.place().name) +
              "/merge_requests"
          ) {}

    awaitable<result<std::optional<view>>> find_open(std::string head, std::string base) override {
        const auto first =
            requests_ + "?state=opened&per_page=100&source_branch=" + net::encode_component(head) +
            "&target_branch=" + net::encode_component(base);
        auto page = co_await call_.get(first);
        for (;;) {
            if (!page) co_return page.error();
            if (!page->ok()) co_return call_.refused(*page, "look for the merge request");
            for (const auto& request : page->body) {
                const bool fork = number_of(request, "source_project_id") !=
                                  number_of(request, "target_project_id");
                if (fork || text_of(request, "source_branch") != head) continue;
                if (text_of(request, "target_branch") == base)
                    co_return std::optional{view_of(request)};
            }
            if (page->next.empty()) co_return std::optional<view>{};
            page = co_await call_.get_next(page->next);
        }
    }

    awaitable<result<view>> get(std::int64_t number) override {
        auto answer = co_await call_.get_if_changed(request(number));
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "read the merge request");
        co_return call_.sound(view_of(answer->body));
    }

    awaitable<result<view>> create(draft d) override {
        const json body{
            {"source_branch", d.head},
            {"target_branch", d.base},
            {"title", titled(d.title, d.is_draft)},
            {"description", d.body},
        };
        auto answer = co_await call_.send(method::post, requests_, body);
        if (!answer) co_return answer.error();
        if (answer->ok()) co_return call_.sound(view_of(answer->body));
        if (answer->status != 409) co_return call_.refused(*answer, "create the merge request");
        if (const auto number = existing_number(answer->message); number > 0) {
            auto existing = co_await get(number);
            co_return existing;
        }
        auto found = co_await find_open(d.head, d.base);
        if (!found) co_return found.error();
        if (*found) co_return **found;
        co_return call_.refused(*answer, "create the merge request");
    }

    awaitable<result<view>> update(view v, std::string title, std::string body) override {
        const json change{{"title", titled(title, v.is_draft)}, {"description", body}};
        auto answer = co_await call_.send(method::put, request(v.is.number), change);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "update the merge request");
        co_return call_.sound(view_of(answer->body));
    }

    awaitable<outcome> close(view v, std::string comment) override {
        const json change{{"state_event", "close"}};
        auto answer = co_await call_.send(method::put, request(v.is.number), change);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "close the merge request");
        if (comment.empty()) co_return outcome{};
        const json text{{"body", comment}};
        auto said = co_await call_.send(method::post, request(v.is.number) + "/notes", text);
        if (!said) co_return said.error();
        if (!said->ok()) co_return call_.refused(*said, "comment on the merge request");
        co_return outcome{};
    }

    awaitable<result<std::vector<std::string>>>
    decorate(view v, std::vector<std::string> labels, std::vector<std::string> reviewers) override {
        std::vector<std::string> ignored;
        json change = json::object();
        // One with a comma cannot be told from two.
        const auto odd = [](const std::string& label) {
            return label.find(',') != std::string::npos;
        };
        std::ranges::copy_if(labels, std::back_inserter(ignored), odd);
        std::erase_if(labels, odd);
        if (!labels.empty()) change["add_labels"] = joined(labels); // missing ones are made

        if (!reviewers.empty()) {
            auto ids = co_await reviewer_ids(v.is.number, reviewers, ignored);
            if (!ids) co_return ids.error();
            if (!ids->empty()) change["reviewer_ids"] = *ids;
        }
        if (change.empty()) co_return ignored;
        auto answer = co_await call_.send(method::put, request(v.is.number), change);
        if (!answer) co_return answer.error();
        if (!answer->ok()) co_return call_.refused(*answer, "label the merge request");
        co_return ignored;
    }

    awaitable<result<auto_merge>> merge_when_ready(view v, pipeline::merge_method how) override {
        auto body = merge_body(v, how);
        body["auto_merge"] = true;
        body["merge_when_pipeline_succeeds"] = true;
        auto answer = co_await call_.send(method::put, request(v.is.number) + "/merge", body);
        if (!answer) co_return answer.error();
        if (answer->status == 405) {
            auto ready = co_await call_.get(request(v.is.number));
            if (!ready) co_return ready.error();
            const bool no_pipeline = member(ready->body, "head_pipeline").empty();
            const bool mergeable = text_of(ready->body, "detailed_merge_status") == "mergeable";
            if (!no_pipeline || !mergeable) co_return auto_merge::not_yet;
            const auto plain = merge_body(v, how);
            answer = co_await call_.send(method::put, request(v.is.number) + "/merge", plain);
            if (!answer) co_return answer.error();
        }
        co_return merge_result(*answer);
    }

    awaitable<outcome> disarm(view v) override {
        auto before = co_await get(v.is.number);
        if (!before) co_return before.error();
        if (!before->armed) co_return outcome{};
        const auto path = request(v.is.number) + "/cancel_merge_when_pipeline_succeeds";
        auto answer = co_await call_.send(method::post, path, nullptr);
        if (!answer) co_return answer.error();
        if (answer->ok()) co_return outcome{};
        auto after = co_await get(v.is.number); // 405 or 406: there may be nothing left to turn off
        if (!after) co_return after.error();
        if (!after->armed) co_return outcome{};
        co_return call_.refused(*answer, "turn auto-merge off");
    }

private:
    [[nodiscard]] std::string request(std::int64_t number) const {
        return requests_ + "/" + std::to_string(number);
    }

    // Whether merge commits or fast-forwards are made is the project's setting; only squashing is asked for.
    static json merge_body(const view& v, pipeline::merge_method how) {
        return {{"sha", v.is.head}, {"squash", how == pipeline::merge_method::squash}};
    }

    [[nodiscard]] result<auto_merge> merge_result(const reply& answer) const {
        if (answer.ok()) {
            return text_of(answer.body, "state") == "merged" ? auto_merge::merged
                                                             : auto_merge::armed;
        }
        switch (answer.status) {
        case 405: // draft, pipeline or mergeability not done
        case 406:
        case 422: return auto_merge::not_yet; // cannot be merged as it is
        default:
            return call_.refused(
                answer, "merge the merge request"
            ); // 401: may not; 409: the head moved
        }
    }

    // Those it has already, and the new ones by name; names nobody has go to `ignored`. Awaited in place.
    awaitable<result<std::vector<std::int64_t>>> reviewer_ids(
        std::int64_t number, std::vector<std::string> names, std::vector<std::string>& ignored
    ) {
        std::vector<std::int64_t> ids;
        auto now = co_await call_.get(request(number));
        if (!now) co_return now.error();
        if (!now->ok()) co_return call_.refused(*now, "read the merge request");
        for (const auto& reviewer : member(now->body, "reviewers"))
            ids.push_back(number_of(reviewer, "id"));
        for (const auto& name : names) {
            auto found = co_await call_.get("/users?username=" + net::encode_component(name));
            if (!found) co_return found.error();
            if (!found->ok()) co_return call_.refused(*found, "look for the reviewer " + name);
            const auto id = found->body.is_array() && !found->body.empty()
                                ? number_of(found->body.front(), "id")
                                : 0;
            if (id == 0) {
                ignored.push_back(name);
            } else if (std::ranges::find(ids, id) == ids.end()) {
                ids.push_back(id);
            }
        }
        co_return ids;
    }

    json_call call_;
    std::string requests_;
};

} // namespace

std::unique_ptr<api>
make_gitlab(net::http_client& client, json_call::options options, const credentials& login) {
    options.called = "GitLab";
    options.authorization = bearer(login);
    options.headers = {{"Accept", "application/json"}, {"User-Agent", "sluice"}};
    return std::make_unique<gitlab>(json_call{client, std::move(options)});
}

} // namespace sluice::promotion::forge
