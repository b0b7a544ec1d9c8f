#include "pipeline/schema_promotion.hpp"

#include "pipeline/schema_names.hpp"

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

// Fields of DESIGN's pull-request whose features come later.
constexpr auto later_fields = std::to_array<std::string_view>(
    {"apiURL",
     "manifests",
     "title",
     "body",
     "commitMessage",
     "labels",
     "reviewers",
     "draft",
     "autoMerge",
     "onNewer"}
);

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

pull_request_strategy
read_pull_request(const json& value, const std::string& pointer, report& out) {
    fields f{&value, pointer, out};
    pull_request_strategy how;
    if (!f.readable()) return how;
    how.type = read_forge(f);
    how.url = f.required_text("url", "write the https:// URL of the repository");
    if (!how.url.empty()) {
        if (const auto wrong = check_repository_url(how.url))
            f.mistake("url", wrong->message, wrong->remedy);
    }
    if (f.moved("branch", "branch is an older spelling", "rename it to baseBranch")) {
        (void)f.find("baseBranch");
    } else {
        how.base_branch = f.required_text(
            "baseBranch", "write the branch that promotions go to, for example baseBranch: main"
        );
        check_name(f, "baseBranch", how.base_branch, wrong_branch);
    }
    if (how.url.starts_with("file://") ||
        f.require(
            "secretRef", "write secretRef: {name: …}, the Secret with username, password and token"
        )) {
        how.secret = read_secret_ref(f, "secretRef", out).value_or("");
    }
    for (const auto name : later_fields) f.not_yet(name);
    return how;
}

// Present but empty (`notification:`) is told: Kubernetes would drop it in silence.
bool is_named(fields& f, const json& object, std::string_view name) {
    const bool there = object.contains(name);
    if (f.find(name) == nullptr && there) {
        f.mistake(
            name,
            fmt::format("{} has no value", name),
            name == "notification" ? "write notification: {}" : "write its fields below it"
        );
    }
    return there;
}

strategy read_strategy(const json& value, const std::string& pointer, report& out) {
    fields f{&value, pointer, out};
    strategy s;
    s.how = notification_strategy{};
    if (!f.readable()) return s;
    s.secret = read_secret_ref(f, "secretRef", out);
    const bool pull_request = is_named(f, value, "pull-request");
    const bool notification = is_named(f, value, "notification");
    const bool push = f.not_yet("push");
    if (pull_request && notification) {
        out.add(pointer, "two strategies: pull-request and notification", "keep one of them");
    }
    if (!pull_request && !notification && !push) {
        out.add(pointer, "no strategy is named", "add pull-request: {…} or notification: {}");
    }
    if (const auto* how = f.find("notification")) fields{how, f.at("notification"), out};
    if (const auto* how = f.find("pull-request"))
        s.how = read_pull_request(*how, f.at("pull-request"), out);
    return s;
}

} // namespace

void check_name(
    fields& f,
    std::string_view field,
    const std::string& written,
    std::optional<std::string> (*wrong)(std::string_view)
) {
    if (written.empty()) return;
    if (const auto remedy = wrong(written)) {
        f.mistake(field, fmt::format("{} cannot be {}", field, shown(written)), *remedy);
    }
}

std::optional<std::string> read_secret_ref(fields& parent, std::string_view name, report& out) {
    const auto* value = parent.find(name);
    if (value == nullptr) return std::nullopt;
    fields f{value, parent.at(name), out};
    if (!f.readable()) return std::nullopt;
    auto secret = f.required_text("name", "write the name of a Secret in the Pipeline's namespace");
    check_name(f, "name", secret, wrong_object_name);
    f.moved("namespace", "a Secret is read from the Pipeline's own namespace", "remove namespace");
    if (secret.empty()) return std::nullopt;
    return secret;
}

promotion_policy read_promotion(const json& value, const std::string& pointer, report& out) {
    fields f{&value, pointer, out};
    promotion_policy policy;
    policy.strategy.how = notification_strategy{};
    if (!f.readable()) return policy;
    policy.manual = f.flag("manual", false);
    for (const auto* name : {"approvals", "gates", "rollback"}) f.not_yet(name);
    bool older = false;
    for (const auto* name : {"pull-request", "notification", "secretRef"}) {
        older |= f.moved(
            name,
            fmt::format("{} stands directly under promotion, an older shape", name),
            fmt::format("move it to promotion.strategy.{}", name)
        );
    }
    const auto* chosen =
        older ? f.find("strategy")
              : f.require("strategy", "add strategy with pull-request: {…} or notification: {}");
    if (chosen != nullptr) policy.strategy = read_strategy(*chosen, f.at("strategy"), out);
    return policy;
}

} // namespace sluice::pipeline::schema
