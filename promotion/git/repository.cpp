#include "promotion/git/repository.hpp"

#include "base/failpoint.hpp"
#include "promotion/git/library.hpp"
#include "promotion/git/no_rescan.hpp"
#include "promotion/git/patch_tree.hpp"
#include "promotion/git/repository_impl.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion::git {

repository::repository(std::unique_ptr<impl> i) : impl_(std::move(i)) {}
repository::~repository() {
    if (impl_->cache->damaged()) {
        impl_->cache->throw_away();
        return;
    }
    if (!impl_->env.warm) return;
    impl_->cache->drop_unkept();
    impl_->env.warm->put(impl_->remote.key(), {std::move(impl_->cache), std::move(impl_->index)});
}

result<std::unique_ptr<repository>> repository::open(const environment& env, git::remote r) {
    start_library();
    auto wire = make_wire(env, r);
    if (!wire) return wire.error();
    const auto key = r.key();
    auto warm = env.warm ? env.warm->take(key) : std::nullopt;
    if (!warm) {
        auto opened = cache::open(env.caches / key, (*wire)->objects());
        if (!opened) return opened.error();
        warm.emplace(warm_cache{std::move(*opened), {}});
    }
    auto inside = std::make_unique<impl>(env, std::move(r), std::move(*wire), std::move(*warm));
    return std::unique_ptr<repository>{new repository{std::move(inside)}};
}

error repository::impl::failed(std::string_view doing) {
    return noticed({errc::unavailable, fmt::format("{}: {}: {}", remote.url, doing, last_error())});
}

error repository::impl::noticed(error e) {
    if (e.code == errc::unavailable && last_error_is_damage()) cache->mark_damaged();
    return e;
}

result<branch_tips> repository::impl::fetch_once(const std::vector<std::string>& branches) {
    if (auto fresh = cache->refresh(); !fresh) return fresh.error();
    git_error_clear();
    auto all = wire->fetch(*cache, branches);
    if (!all) return noticed(all.error());
    return all;
}

result<branch_tips> repository::impl::fetch(const std::vector<std::string>& branches) {
    for (const auto& branch : branches) {
        int valid = 0;
        const auto name = fmt::format("refs/heads/{}", branch);
        if (git_reference_name_is_valid(&valid, name.c_str()) != 0 || valid == 0)
            return error{
                errc::unprocessable,
                fmt::format("{}: \"{}\" cannot be the name of a branch", remote.url, branch)
            };
    }
    wire->begin();
    auto all = fetch_once(branches);
    if (!all && cache->damaged()) all = fetch_once(branches); // into a new one
    if (!all) return all;
    known.clear();
    for (const auto& branch : branches)
        if (const auto at = all->find(branch); at != all->end()) known.insert(*at);
    return known;
}

result<std::map<std::string, std::string>>
repository::fetch(const std::vector<std::string>& branches) {
    failpoint("git.before_fetch");
    auto out = measured(*impl_->env.metrics, "fetch", [&] { return impl_->fetch(branches); });
    failpoint("git.after_fetch");
    return out;
}

template <class Ask>
auto repository::impl::ask_tree(const std::string& commit, Ask ask)
    -> decltype(ask(std::declval<const tree_patch&>(), std::declval<const git_oid&>())) {
    auto& read = env.metrics->counter(
        "sluice_git_manifests_read_total",
        "Manifests read because the marker index did not know them"
    );
    git_oid id;
    if (!parse_id(commit, id)) return error{errc::internal, "no commit id: " + commit};
    if (!index) index.emplace(cache->marker_file());
    git_error_clear();
    auto out = ask({handle(), *index, read}, id);
    if (!out) return noticed(out.error());
    return out;
}

result<patched_tree> repository::patch(
    const std::string& commit,
    const promotion_key& key,
    const pipeline::revision_facts& facts,
    std::span<const pipeline::manifest_field> fields
) {
    const auto run = [&](const tree_patch& in, const git_oid& id) {
        return patch_tree(in, id, key, facts, fields);
    };
    return measured(*impl_->env.metrics, "patch", [&] { return impl_->ask_tree(commit, run); });
}

result<std::vector<present_value>> repository::places(
    const std::string& commit,
    const promotion_key& key,
    std::span<const pipeline::manifest_field> fields
) {
    return impl_->ask_tree(commit, [&](const tree_patch& in, const git_oid& id) {
        return read_tree(in, id, key, fields);
    });
}

result<std::string> repository::commit(const new_commit& c) {
    git_oid tree_id;
    git_oid parent_id;
    if (!parse_id(c.tree, tree_id) || !parse_id(c.parent, parent_id))
        return error{errc::internal, "no tree or commit id"};
    tree_ptr tree;
    commit_ptr parent;
    if (open_into(tree, git_tree_lookup, impl_->handle(), &tree_id) != 0 ||
        open_into(parent, git_commit_lookup, impl_->handle(), &parent_id) != 0)
        return impl_->failed("cannot read what the commit is made of");
    signature_ptr by;
    const auto at = std::chrono::floor<std::chrono::seconds>(c.at).time_since_epoch().count();
    if (open_into(by, git_signature_new, c.by.name.c_str(), c.by.email.c_str(), at, 0) != 0)
        return error{
            errc::unprocessable,
            fmt::format("\"{} <{}>\" cannot be an author: {}", c.by.name, c.by.email, last_error())
        };
    const auto message = c.message.ends_with('\n') ? c.message : c.message + '\n';
    const git_commit* parents = parent.get();
    git_oid made;
    const no_rescan writing{impl_->handle()};
    if (git_commit_create(
            &made,
            impl_->handle(),
            nullptr,
            by.get(),
            by.get(),
            nullptr,
            message.c_str(),
            tree.get(),
            1,
            &parents
        ) != 0)
        return impl_->failed("cannot write the commit");
    return to_text(made);
}

result<std::vector<ref_outcome>> repository::push(const std::vector<ref_update>& updates) {
    failpoint("git.before_push");
    auto out = measured(*impl_->env.metrics, "push", [&] { return impl_->push(updates); });
    failpoint("git.after_push");
    return out;
}

} // namespace sluice::promotion::git
