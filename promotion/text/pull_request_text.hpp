#pragma once

#include "base/clock.hpp"
#include "pipeline/pipeline.hpp"
#include "pipeline/promotion.hpp"
#include "pipeline/record.hpp"
#include "pipeline/text_template.hpp"
#include "promotion/git/repository.hpp"
#include "promotion/manifest/marker.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

// What people read of a promotion on the forge and in the git history. Pure: the same input gives the same bytes.
namespace sluice::promotion::text {

// Who said that the revision works where it comes from.
struct proof {
    std::string target; // pipeline::describe(); empty: a CI trigger, which stands for all targets
    std::string revision;
    time_point signed_at;
    bool tested = false; // by the Helm test event

    friend bool operator==(const proof&, const proof&) = default;
};

struct text_input {
    pipeline::promotion promotion;
    std::string app;              // "HelmRelease podinfo"
    std::string next_environment; // where it goes on from there; empty: nowhere
    std::string base_branch;
    bool auto_merge = false;
    std::vector<proof> evidence; // of the environment it comes from
    std::vector<git::file_change> changes;
    std::string diff; // unified
    std::vector<std::string>
        remarks; // what a reviewer should know: unreadable files, stray markers
};

// All but changes, diff and remarks, which git tells. `records` as they are when the text is made.
[[nodiscard]] text_input describe(
    const pipeline::definition& pipeline,
    const pipeline::promotion& promotion,
    const pipeline::pipeline_records& records
);

// GitHub refuses longer bodies; so does Gitea's default, Bitbucket takes half of it.
[[nodiscard]] std::size_t longest_body(pipeline::forge type) noexcept;

// `templ` is the user's checked template (pipeline/text_template.hpp); empty: the default. A title is one line of at most
// 240 bytes. A body always ends with the block Weave's tools look for, and is cut before it, never inside it.
[[nodiscard]] std::string title(const text_input& in, std::string_view templ);
[[nodiscard]] std::string body(const text_input& in, std::string_view templ, std::size_t limit);
// Ends with "Sluice-Promotion: <id>", so that git alone can tell what made a commit.
[[nodiscard]] std::string commit_message(const text_input& in, std::string_view templ);

// Weave's `promotion-<ns>-<name>-<env>`. A short hash follows when another of `all` (those that share the repository;
// `key` itself may be among them) would get the same, or when the names hold what a branch may not.
[[nodiscard]] std::string branch_name(const promotion_key& key, std::span<const promotion_key> all);

} // namespace sluice::promotion::text
