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

struct pull_request_strategy {
    forge type = forge::git;
    std::string url;
    std::string base_branch;
    std::string secret;
};

struct notification_strategy {};

struct strategy {
    std::optional<std::string> secret; // of events: the one with `hmac-key`
    std::variant<pull_request_strategy, notification_strategy> how;
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
};

using definition_ptr = std::shared_ptr<const definition>;

} // namespace sluice::pipeline
