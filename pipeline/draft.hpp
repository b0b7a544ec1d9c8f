#pragma once

#include "pipeline/decide.hpp"
#include "pipeline/slots.hpp"

#include <string>
#include <string_view>
#include <utility>

namespace sluice::pipeline {

// One word for programs, in promotion::reason.
namespace why {
inline constexpr std::string_view evidence = "evidence"; // its proof was withdrawn
inline constexpr std::string_view proven = "proven";
inline constexpr std::string_view claimed = "claimed"; // by a CI trigger
inline constexpr std::string_view manual = "manual";
inline constexpr std::string_view denied = "deny";
inline constexpr std::string_view newer = "newer";
inline constexpr std::string_view reported = "reported"; // by the target environment itself
inline constexpr std::string_view commit = "commit";     // what it deploys is looked up
inline constexpr std::string_view failed_commit = "failed-commit"; // the same, and it failed
inline constexpr std::string_view own_commit = "own-commit"; // the same, of the environment itself
inline constexpr std::string_view translated =
    "translated"; // a commit of our own branch stands for a release
inline constexpr std::string_view opened = "opened"; // the pull request
inline constexpr std::string_view merged = "merged";
inline constexpr std::string_view reopened = "reopened"; // what it failed on has changed
inline constexpr std::string_view branch = "branch";     // somebody else pushed to it
// Of people:
inline constexpr std::string_view approved = "approved";
inline constexpr std::string_view rejected = "rejected";
inline constexpr std::string_view cancelled = "cancelled";
inline constexpr std::string_view retried = "retried";
inline constexpr std::string_view asked = "asked";
} // namespace why

// A decision in the making: the event, what was known before it, and what follows so far.
struct draft {
    const arrival& a;
    const environment& here;
    const pipeline_records& before;
    slot_map slots; // of `here`, the event included
    time_point now;
    std::string revision; // in written form
    pipeline::decision decision;

    [[nodiscard]] const environment_record& record_of(std::string_view environment) const;

    template <class Change>
    void change(Change c) {
        decision.changes.emplace_back(std::move(c));
    }
    void
    move(const attempt& which, promotion_state to, std::string_view reason, std::string message);
    // Of the event's revision, to be filled in further.
    [[nodiscard]] promotion
    promotion_into(const environment& into, time_point first_evidence) const;
    // Answers with the promotion's message.
    void open(promotion p, verdict_on_event what);
    void answer(verdict_on_event what, std::string reason, std::optional<promotion_id> id = {});
};

} // namespace sluice::pipeline
