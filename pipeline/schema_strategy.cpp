#include "pipeline/schema_strategy.hpp"

#include "pipeline/schema_names.hpp"
#include "pipeline/schema_promotion.hpp"

#include <fmt/format.h>

#include <array>

namespace sluice::pipeline::schema {
namespace {

using nlohmann::json;

constexpr auto forges = std::to_array<choice<forge>>({
    {"github", forge::github},
    {"gitlab", forge::gitlab},
    {"bitbucket-server", forge::bitbucket_server},
    {"gitea", forge::gitea},
    {"git", forge::git},
});

constexpr auto later_forges = std::to_array<std::string_view>({"azure-devops", "bitbucket-cloud"});

constexpr auto merge_methods = std::to_array<choice<merge_method>>({
    {"merge", merge_method::merge},
    {"squash", merge_method::squash},
    {"rebase", merge_method::rebase},
});

constexpr auto newer_choices =
    std::to_array<choice<on_newer>>({{"update", on_newer::update}, {"replace", on_newer::replace}});

// What only a pull request can have.
constexpr auto forge_fields =
    std::to_array<std::string_view>({"apiURL", "title", "body", "labels", "reviewers", "autoMerge"}
    );

// Present but empty (`notification:`) is told: Kubernetes would drop it in silence.
bool is_named(fields& f, const json& object, std::string_view name) {
    const bool there = object.contains(name);
    if (f.find(name) == nullptr && there) {
        f.mistake(
            name,
            fmt::format("{} has no value", name),
            name == "notification" || name == "autoMerge" ? fmt::format("write {}: {{}}", name)
                                                          : "write its fields below it"
        );
    }
    return there;
}

forge read_forge(fields& f) {
    const auto* value = f.require("type", "write github, gitlab, bitbucket-server, gitea or git");
    if (value == nullptr) return forge::git;
    for (const auto later : later_forges) {
        if (!value->is_string() || value->get_ref<const std::string&>() != later) continue;
        f.mistake(
            "type",
            fmt::format("type {} is not supported yet", later),
            "write git to have the branch pushed without a pull request"
        );
        return forge::git;
    }
    return f.choose<forge>("type", forges, forge::git);
}

std::string read_url(fields& f) {
    auto url = f.required_text("url", "write the https:// URL of the repository");
    if (url.empty()) return url;
    if (const auto wrong = check_repository_url(url))
        f.mistake("url", wrong->message, wrong->remedy);
    return url;
}

std::string read_credentials(fields& f, const std::string& url, report& out) {
    constexpr auto remedy =
        "write secretRef: {name: …}, the Secret with username, password and token";
    if (!url.starts_with("file://") && f.require("secretRef", remedy) == nullptr) return {};
    return read_secret_ref(f, "secretRef", out).value_or("");
}

std::optional<merge_method> read_auto_merge(fields& parent, const json& object, report& out) {
    if (!is_named(parent, object, "autoMerge")) return std::nullopt;
    const auto* value = parent.find("autoMerge");
    if (value == nullptr) return std::nullopt;
    fields f{value, parent.at("autoMerge"), out};
    if (!f.readable()) return std::nullopt;
    return f.choose<merge_method>("method", merge_methods, merge_method::merge);
}

void read_pull_request_itself(
    fields& f, const json& value, pull_request_strategy& how, report& out
) {
    how.api_url = f.text("apiURL").value_or("");
    if (f.find("apiURL") != nullptr) {
        if (const auto wrong = check_api_url(how.api_url))
            f.mistake("apiURL", wrong->message, wrong->remedy);
    }
    how.title = read_template(f, "title");
    if (how.title.find('\n') != std::string::npos)
        f.mistake(
            "title", "title has more than one line", "write one line; the rest belongs into body"
        );
    how.body = read_template(f, "body");
    how.labels = read_words(f, "labels", "promotion", out);
    how.reviewers = read_words(f, "reviewers", "alice", out);
    how.draft = f.flag("draft", false);
    how.auto_merge = read_auto_merge(f, value, out);
    how.on_newer = f.choose<on_newer>("onNewer", newer_choices, on_newer::update);
    if (how.draft && how.auto_merge)
        f.mistake("autoMerge", "a draft is never merged by itself", "remove draft or autoMerge");
}

// A field without effect is refused, never ignored.
void refuse_pull_request_fields(fields& f, const pull_request_strategy& how) {
    const auto refuse = [&](std::string_view name) {
        f.mistake(
            name,
            fmt::format("{} belongs to a pull request, and with type git there is none", name),
            "remove it, or write the type of your forge"
        );
    };
    for (const auto name : forge_fields)
        if (f.find(name) != nullptr) refuse(name);
    if (how.draft) refuse("draft");
    if (how.on_newer == on_newer::replace) refuse("onNewer");
}

pull_request_strategy
read_pull_request(const json& value, const std::string& pointer, report& out) {
    fields f{&value, pointer, out};
    pull_request_strategy how;
    if (!f.readable()) return how;
    const auto mistakes = out.mistakes.size();
    how.type = read_forge(f);
    const bool knows_forge = out.mistakes.size() == mistakes;
    how.url = read_url(f);
    if (f.moved("branch", "branch is an older spelling", "rename it to baseBranch")) {
        (void)f.find("baseBranch");
    } else {
        how.base_branch = f.required_text(
            "baseBranch", "write the branch that promotions go to, for example baseBranch: main"
        );
        check_name(f, "baseBranch", how.base_branch, wrong_branch);
    }
    how.secret = read_credentials(f, how.url, out);
    how.manifests = read_manifests(f, out);
    how.commit_message = read_template(f, "commitMessage");
    read_pull_request_itself(f, value, how, out);
    if (knows_forge && how.type == forge::git) refuse_pull_request_fields(f, how);
    return how;
}

push_strategy read_push(const json& value, const std::string& pointer, report& out) {
    fields f{&value, pointer, out};
    push_strategy how;
    if (!f.readable()) return how;
    how.url = read_url(f);
    how.branch = f.required_text(
        "branch", "write the branch that promotions are pushed to, for example branch: main"
    );
    check_name(f, "branch", how.branch, wrong_branch);
    how.secret = read_credentials(f, how.url, out);
    how.manifests = read_manifests(f, out);
    how.commit_message = read_template(f, "commitMessage");
    return how;
}

} // namespace

strategy read_strategy(const json& value, const std::string& pointer, report& out) {
    fields f{&value, pointer, out};
    strategy s;
    s.how = notification_strategy{};
    if (!f.readable()) return s;
    s.secret = read_secret_ref(f, "secretRef", out);
    std::vector<std::string_view> named;
    for (const std::string_view name : {"pull-request", "push", "notification"})
        if (is_named(f, value, name)) named.push_back(name);
    if (named.size() > 1) {
        out.add(
            pointer,
            fmt::format(
                "{} strategies: {}", named.size() == 2 ? "two" : "three", fmt::join(named, ", ")
            ),
            "keep one of them"
        );
    }
    if (named.empty()) {
        out.add(
            pointer, "no strategy is named", "add pull-request: {…}, push: {…} or notification: {}"
        );
    }
    if (const auto* how = f.find("notification")) fields{how, f.at("notification"), out};
    if (const auto* how = f.find("push")) s.how = read_push(*how, f.at("push"), out);
    if (const auto* how = f.find("pull-request"))
        s.how = read_pull_request(*how, f.at("pull-request"), out);
    return s;
}

} // namespace sluice::pipeline::schema
