#include "promotion/git/new_objects.hpp"
#include "promotion/git/repository_impl.hpp"

#include <fmt/format.h>

// The remote compares each tip with the expected one, in its own lock. What it says in words differs between servers, so
// after a refusal its tips are read again and tell what happened.
namespace sluice::promotion::git {
namespace {

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
    return {u.branch, ref_result::refused, said.message};
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

result<std::vector<ref_outcome>> repository::impl::push(const std::vector<ref_update>& updates) {
    if (updates.empty()) return std::vector<ref_outcome>{};
    wire->begin();
    auto out = push_once(updates);
    if (updates.size() == 1) return out;
    if (!out) {
        if (out.error().code != errc::payload_too_large) return out;
        out = std::vector<ref_outcome>{};
        for (const auto& u : updates) out->push_back({u.branch, ref_result::refused, {}});
    }
    // A server may refuse all for the sake of one (a pre-receive hook does): each gets its own chance.
    for (std::size_t i = 0; i < updates.size(); ++i) {
        auto& one = (*out)[i];
        if (one.result != ref_result::refused) continue;
        auto again = push_once({updates[i]});
        if (again) {
            one = std::move(again->front());
        } else if (again.error().code == errc::payload_too_large) {
            one.message = again.error().message;
        } else {
            return again;
        }
    }
    return out;
}

} // namespace sluice::promotion::git
