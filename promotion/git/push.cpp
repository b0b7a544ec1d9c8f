#include "promotion/backoff.hpp"
#include "promotion/git/new_objects.hpp"
#include "promotion/git/repository_impl.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

// The remote compares each tip with the expected one, in its own lock. What it says in words differs between servers, so
// after a refusal its tips are read again and tell what happened.
namespace sluice::promotion::git {
namespace {

// Branches pushed alone that get the answer all of them got together: it is not for the sake of one.
constexpr int enough_to_believe = 2;

ref_outcome judge(const ref_update& u, const ref_status& said, const branch_tips& now) {
    const auto at = now.find(u.branch);
    const auto tip = at == now.end() ? std::string{} : at->second;
    // Someone with the same commit was faster, or our own answer was lost.
    if (tip == u.target) return {u.branch, ref_result::done, {}};
    if (tip != u.expected)
        return {
            u.branch,
            ref_result::moved,
            fmt::format(
                "{} is at {}, not at {}",
                u.branch,
                tip.empty() ? "no commit" : tip,
                u.expected.empty() ? "no commit" : u.expected
            )
        };
    return {u.branch, said.unwell ? ref_result::later : ref_result::refused, said.message};
}

ref_outcome outcome_of(const ref_update& u, const error& e) {
    return {u.branch, is_transient(e.code) ? ref_result::later : ref_result::refused, e.message};
}

} // namespace

result<std::vector<git_oid>> repository::impl::objects_for(const std::vector<ref_update>& updates) {
    std::vector<git_oid> targets;
    std::vector<git_oid> there;
    git_oid id;
    for (const auto& u : updates) {
        if (u.target.empty()) continue;
        if (!parse_id(u.target, id)) return error{errc::internal, "no commit id: " + u.target};
        targets.push_back(id);
    }
    if (!targets.empty() && known.empty()) {
        auto listed = wire->list();
        if (!listed) return listed.error();
        known = std::move(*listed); // what the cache does not have of it hides nothing
    }
    for (const auto& [branch, tip] : known)
        if (parse_id(tip, id)) there.push_back(id);
    git_error_clear();
    auto objects = new_objects(handle(), targets, there);
    if (!objects) return noticed(objects.error());
    return objects;
}

result<std::vector<ref_outcome>> repository::impl::push_once(const std::vector<ref_update>& updates
) {
    auto objects = objects_for(updates);
    if (!objects) return objects.error();
    git_error_clear();
    auto said = wire->push(*cache, updates, *objects);
    if (!said) return noticed(said.error());
    const auto kept = cache->keep(*objects); // else the next fetch brings them
    std::optional<branch_tips> now;
    std::vector<ref_outcome> out;
    for (std::size_t i = 0; i < updates.size(); ++i) {
        const auto& u = updates[i];
        const auto& status = (*said)[i];
        if (!status.done && !now) {
            auto listed = wire->list();
            if (!listed) return listed.error();
            now = std::move(*listed);
        }
        out.push_back(
            status.done ? ref_outcome{u.branch, ref_result::done, {}} : judge(u, status, *now)
        );
        if (out.back().result != ref_result::done) continue;
        git_oid id;
        if (u.target.empty()) {
            cache->forget(u.branch);
            known.erase(u.branch);
        } else if (kept && parse_id(u.target, id) && cache->set_tip(u.branch, id)) {
            known[u.branch] = u.target;
        }
    }
    return out;
}

void repository::impl::push_singly(
    const std::vector<ref_update>& updates, std::vector<ref_outcome>& out, bool about_all
) {
    int agreeing = 0;
    std::optional<error> gone; // the server does not answer any more
    for (std::size_t i = 0; i < updates.size() && agreeing < enough_to_believe; ++i) {
        auto& one = out[i];
        if (one.result == ref_result::done || one.result == ref_result::moved) continue;
        if (gone) {
            one = outcome_of(updates[i], *gone);
            continue;
        }
        auto again = push_once({updates[i]});
        if (!again && is_transient(again.error().code)) gone = again.error();
        auto now = again ? std::move(again->front()) : outcome_of(updates[i], again.error());
        const bool same = now.result == one.result && now.message == one.message;
        agreeing = same && about_all ? agreeing + 1 : 0;
        one = std::move(now);
    }
}

result<std::vector<ref_outcome>> repository::impl::push(const std::vector<ref_update>& updates) {
    if (updates.empty()) return std::vector<ref_outcome>{};
    wire->begin();
    auto out = push_once(updates);
    if (updates.size() == 1) return out;
    if (out) {
        const bool unwell = std::ranges::any_of(*out, [](const ref_outcome& o) {
            return o.result == ref_result::later;
        });
        push_singly(updates, *out, /*about_all=*/unwell);
        return out;
    }
    const auto whole = out.error();
    if (is_transient(whole.code)) return out;
    std::vector<ref_outcome> each;
    each.reserve(updates.size());
    for (const auto& u : updates) each.push_back(outcome_of(u, whole));
    // What is too large together may be small enough alone, however many are not.
    push_singly(updates, each, /*about_all=*/whole.code != errc::payload_too_large);
    const bool nothing_else = std::ranges::all_of(each, [&](const ref_outcome& o) {
        return o.result == ref_result::refused && o.message == whole.message;
    });
    if (nothing_else) return whole;
    return each;
}

} // namespace sluice::promotion::git
