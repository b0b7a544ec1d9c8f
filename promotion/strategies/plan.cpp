#include "promotion/strategies/plan.hpp"

#include "pipeline/text_template.hpp"
#include "pipeline/version.hpp"
#include "promotion/manifest/patch.hpp"
#include "promotion/strategies/tip.hpp"
#include "promotion/text/pull_request_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>

namespace sluice::promotion {
namespace {

error no_marker(const job& j, const git::patched_tree& patched) {
    auto remarks = patched.unreadable;
    remarks.insert(remarks.end(), patched.strays.begin(), patched.strays.end());
    constexpr std::size_t told = 5;
    if (remarks.size() > told) remarks.resize(told);
    return {
        errc::unprocessable,
        fmt::format(
            "nothing in {} on branch {} is marked for this promotion; add {} to the line to "
            "change{}{}",
            without_login(j.to.url),
            j.to.branch,
            marker_line(key_of(j.t.promotion.id)),
            remarks.empty() ? "" : ". Not usable: ",
            fmt::join(remarks, "; ")
        )
    };
}

error no_branch(const job& j) {
    return {
        errc::unprocessable,
        fmt::format(
            "{} has no branch {}; make it, or name another in the promotion's strategy",
            without_login(j.to.url),
            j.to.branch
        )
    };
}

// An older revision never overtakes a newer one, whoever wrote that.
bool goes_back(const job& j, const git::patched_tree& patched) {
    if (j.t.promotion.id.kind == pipeline::promotion_kind::rollback) return false;
    const auto is_newer = [&](const git::file_change& c) {
        if (c.to != j.t.promotion.id.revision) return false;
        const auto order = pipeline::compare_versions(c.from, c.to);
        return order && *order == std::strong_ordering::greater;
    };
    return std::ranges::any_of(patched.changes, is_newer);
}

outcome fail(job& j, error why) {
    j.found = finding::failed;
    j.why = std::move(why);
    return j.why;
}

// Patches `parent` and settles what needs no commit. True: there is something to commit.
result<bool>
patch_on(git::repository& in, const std::string& parent, job& j, git::patched_tree& patched) {
    const auto& p = j.t.promotion;
    auto made = in.patch(parent, key_of(p.id), p.facts, j.to.fields);
    if (!made) return made.error();
    patched = std::move(*made);
    j.remarks = patched.unreadable;
    j.remarks.insert(j.remarks.end(), patched.strays.begin(), patched.strays.end());
    if (patched.places.empty()) return no_marker(j, patched);
    j.work.replaced =
        patched.changes.empty() ? patched.places.front().text : patched.changes.front().from;
    if (patched.changes.empty()) {
        j.found = finding::unchanged;
    } else if (goes_back(j, patched)) {
        j.found = finding::newer;
    } else {
        return true;
    }
    return false;
}

struct wording {
    std::string_view title;
    std::string_view body;
    std::string_view commit_message;
};

wording wording_of(const task& t) {
    if (const auto* pr = t.pull_request()) return {pr->title, pr->body, pr->commit_message};
    return {{}, {}, t.push()->commit_message};
}

// What people read on a forge or in a preview is made only for those who look there.
outcome word(
    git::repository& in,
    const std::string& parent,
    const git::patched_tree& patched,
    const wording& templates,
    text::text_input& text,
    job& j
) {
    if (j.read_by_people || pipeline::uses(templates.commit_message, "diff")) {
        auto diff = in.diff(parent, patched.tree, longest_diff);
        if (!diff) return diff.error();
        text.diff = std::move(*diff);
    }
    if (!j.read_by_people) return {};
    j.title = text::title(text, templates.title);
    j.body = text::body(text, templates.body, text::longest_body(j.to.type));
    j.diff = text.diff;
    return {};
}

// The same request gives the same commit on every machine, so that a repeated step finds what it did.
result<std::string> commit_on(
    git::repository& in,
    const std::string& parent,
    const git::author& by,
    const git::patched_tree& patched,
    job& j
) {
    const auto templates = wording_of(j.t);
    auto text = text::describe(*j.t.pipeline, j.t.promotion, j.records);
    text.promotion.work = j.work; // an earlier round replaced something else
    text.changes = patched.changes;
    text.remarks = j.remarks;
    if (auto worded = word(in, parent, patched, templates, text, j); !worded) return worded.error();

    git::new_commit c;
    c.tree = patched.tree;
    c.parent = parent;
    c.by = by;
    c.at = j.t.promotion.created_at;
    c.message = text::commit_message(text, templates.commit_message);
    return in.commit(c);
}

outcome find_merged_siblings(
    git::repository& in,
    const std::string& base,
    std::span<const present_value> places, // in the base
    job& j
) {
    j.merged_siblings.clear();
    if (j.forge) return {};
    for (const auto& other : j.siblings) {
        if (other.state != pipeline::promotion_state::pull_request_open) continue;
        // Nobody merged anything since, or it went into another branch.
        if (other.work.base_commit == base || !is_here(other.work, j.to)) continue;
        const auto merged = in.contains(base, other.work.commit);
        if (!merged) return merged.error();
        if (*merged || all_say(places, other.facts)) j.merged_siblings.push_back(other);
    }
    return {};
}

// What the job's own recorded commit tells before anything is made.
result<bool> already_in(git::repository& in, const std::string& base, job& j) {
    if (j.work.commit.empty()) return false;
    auto contained = in.contains(base, j.work.commit);
    if (contained && *contained) j.found = finding::merged;
    return contained;
}

outcome
make_pull_request(git::repository& in, const std::string& base, const git::author& by, job& j) {
    const auto there = already_in(in, base, j);
    if (!there) return there.error();
    if (*there) return {};
    git::patched_tree patched;
    const auto something = patch_on(in, base, j, patched);
    if (!something) return something.error();
    if (!*something) return {};
    if (auto found = find_merged_siblings(in, base, patched.places, j); !found) return found;
    const auto owner = owner_of(in, {j.tip, base, j.ours, by});
    if (!owner) return owner.error();
    if (*owner == tip_owner::other) {
        j.found = finding::held;
        return {};
    }
    auto made = commit_on(in, base, by, patched, j);
    if (!made) return made.error();
    // An earlier try, or another replica, may have pushed this very commit already.
    j.found = *made == j.tip ? finding::pushed : finding::to_push;
    j.work.commit = std::move(*made);
    j.work.base_commit = base;
    return {};
}

outcome make_push(
    git::repository& in, const std::string& base, const git::author& by, tips& stacked, job& j
) {
    const auto there = already_in(in, base, j);
    if (!there) return there.error();
    if (*there) return {};
    const auto last = stacked.find(j.branch);
    const auto parent = last == stacked.end() ? base : last->second;
    git::patched_tree patched;
    const auto something = patch_on(in, parent, j, patched);
    if (!something) return something.error();
    if (!*something) return {};
    auto made = commit_on(in, parent, by, patched, j);
    if (!made) return made.error();
    stacked[j.branch] = *made;
    j.work.commit = std::move(*made);
    j.work.base_commit = parent;
    j.found = finding::to_push;
    return {};
}

const std::string* find_base(const tips& fetched, job& j) {
    const auto base = fetched.find(j.to.branch);
    const auto tip = fetched.find(j.branch);
    j.tip = tip == fetched.end() ? std::string{} : tip->second;
    j.work.repository = without_login(j.to.url);
    j.work.base_branch = j.to.branch;
    j.work.branch = j.branch;
    if (base == fetched.end()) {
        (void)fail(j, no_branch(j));
        return nullptr;
    }
    return &base->second;
}

} // namespace

promotion_key key_of(const pipeline::promotion_id& id) {
    return {id.pipeline, id.environment};
}

bool tells_evidence(const job& j) {
    return j.read_by_people || pipeline::uses(wording_of(j.t).commit_message, "evidence");
}

void plan_pull_request(git::repository& in, const tips& fetched, const git::author& by, job& j) {
    const auto* base = find_base(fetched, j);
    if (base == nullptr) return;
    if (auto made = make_pull_request(in, *base, by, j); !made) {
        (void)fail(j, made.error());
        // What it stood on, so that a change of the base is seen also after a restart.
        if (j.work.commit.empty()) j.work.base_commit = *base;
    }
}

void plan_push(
    git::repository& in, const tips& fetched, const git::author& by, tips& stacked, job& j
) {
    const auto* base = find_base(fetched, j);
    if (base == nullptr) return;
    if (auto made = make_push(in, *base, by, stacked, j); !made) {
        (void)fail(j, made.error());
        if (j.work.commit.empty()) j.work.base_commit = *base;
    }
}

} // namespace sluice::promotion
