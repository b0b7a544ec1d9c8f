#pragma once

#include <compare>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

// A Pipeline as Sluice understands it: parsed once, never changed, shared by everything that reads it.
namespace sluice::pipeline {

struct object_name {
    std::string ns;
    std::string name;

    friend auto operator<=>(const object_name&, const object_name&) = default;
    [[nodiscard]] std::string text() const { return ns + "/" + name; }
};

// Compared by group and kind: Flux moved HelmRelease from v2beta1 to v2, and no pipeline should notice.
struct app_ref {
    std::string group;
    std::string kind;
    std::string name;
};

struct target {
    std::string ns;
    std::optional<object_name> cluster; // absent: any cluster
};

// Slots are kept per key. Targets no event can tell apart share one key and count as one.
[[nodiscard]] std::string target_key(const target& t);
// For people: "podinfo on flux-system/dev".
[[nodiscard]] std::string describe(const target& t);

enum class required_targets { all, any };
enum class proof { release, test };
enum class forge { github, gitlab, bitbucket_server, gitea, git };

enum class merge_method { merge, squash, rebase };
// What happens to the open pull request of an older revision.
enum class on_newer { update, replace };

// A scalar to write where comments do not survive.
struct manifest_field {
    std::string path;
    std::string field;

    friend bool operator==(const manifest_field&, const manifest_field&) = default;
};

struct pull_request_strategy {
    forge type = forge::git;
    std::string url;
    std::string base_branch;
    std::string secret;  // empty: none, for file:// repositories
    std::string api_url; // empty: derived from url
    std::vector<manifest_field> manifests;
    std::string title; // templates (pipeline/text_template.hpp); empty: the default
    std::string body;
    std::string commit_message;
    std::vector<std::string> labels;
    std::vector<std::string> reviewers;
    bool draft = false;
    std::optional<merge_method> auto_merge;
    pipeline::on_newer on_newer = pipeline::on_newer::update;
};

struct push_strategy {
    std::string url;
    std::string branch;
    std::string secret;
    std::vector<manifest_field> manifests;
    std::string commit_message;
};

struct notification_strategy {};

struct strategy {
    std::optional<std::string> secret; // of events: the one with `hmac-key`
    std::variant<pull_request_strategy, push_strategy, notification_strategy> how;
};

struct promotion_policy {
    bool manual = false;
    pipeline::strategy strategy;
};

struct environment {
    std::string name;
    std::optional<std::string> secret;
    required_targets required = required_targets::all;
    pipeline::proof proof = pipeline::proof::release;
    bool triggers = true;
    bool suspend = false;
    std::vector<target> targets;
    std::optional<promotion_policy> promotion; // of promotions INTO this environment
};

struct denial {
    std::string revision;
    std::string reason;
};

struct definition {
    object_name name;
    app_ref app;
    bool suspend = false;
    std::vector<denial> deny;
    std::vector<environment> environments;
    std::optional<promotion_policy> promotion;

    [[nodiscard]] const environment* find(std::string_view environment) const;
    [[nodiscard]] const environment* next_after(std::string_view environment) const;
    [[nodiscard]] const environment* previous_to(std::string_view environment) const;
    // The environment's own block, else the pipeline's, else none: it records what it hears.
    [[nodiscard]] const promotion_policy* policy_into(const environment& e) const;
    // The Secret whose `hmac-key` may speak for this environment, by DESIGN's order; none: unsigned.
    [[nodiscard]] std::optional<std::string> event_secret(const environment& e) const;
    // The Secret whose `approval-key` may let promotions into this environment go on: its own, else that of the strategy which
    // carries them there.
    [[nodiscard]] std::optional<std::string> approval_secret(const environment& e) const;
};

using definition_ptr = std::shared_ptr<const definition>;

} // namespace sluice::pipeline
