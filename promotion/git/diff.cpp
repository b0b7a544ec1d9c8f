#include "promotion/git/repository_impl.hpp"

#include <string_view>

namespace sluice::promotion::git {
namespace {

constexpr std::string_view cut_off = "… (the rest is left out)\n";

struct printed {
    std::string text;
    std::size_t limit;
};

int print_line(
    const git_diff_delta* /*delta*/,
    const git_diff_hunk* /*hunk*/,
    const git_diff_line* line,
    void* payload
) {
    auto& out = *static_cast<printed*>(payload);
    const bool has_sign = line->origin == GIT_DIFF_LINE_CONTEXT ||
                          line->origin == GIT_DIFF_LINE_ADDITION ||
                          line->origin == GIT_DIFF_LINE_DELETION;
    const std::string_view content{line->content, line->content_len};
    if (out.text.size() + content.size() + 1 > out.limit) {
        while (out.text.size() + cut_off.size() > out.limit && !out.text.empty()) {
            out.text.pop_back(); // to the end of a whole line that leaves room for the note
            out.text.resize(out.text.rfind('\n') + 1);
        }
        if (out.text.size() + cut_off.size() <= out.limit) out.text += cut_off;
        return GIT_EUSER;
    }
    if (has_sign) out.text += line->origin;
    out.text += content;
    return 0;
}

int tree_of(tree_ptr& out, git_repository* repository, const std::string& text) {
    git_oid id;
    object_ptr object;
    if (!parse_id(text, id)) return GIT_EINVALID;
    if (int code = open_into(object, git_object_lookup, repository, &id, GIT_OBJECT_ANY))
        return code;
    return open_into(
        out,
        [](git_tree** raw, git_object* from) {
            return git_object_peel(reinterpret_cast<git_object**>(raw), from, GIT_OBJECT_TREE);
        },
        object.get()
    );
}

} // namespace

result<std::string> repository::diff(
    const std::string& from_commit, const std::string& to_tree_or_commit, std::size_t limit
) {
    tree_ptr from;
    tree_ptr to;
    if (tree_of(from, impl_->handle(), from_commit) != 0 ||
        tree_of(to, impl_->handle(), to_tree_or_commit) != 0)
        return impl_->failed("cannot read what is compared");
    git_diff_options options;
    git_diff_options_init(&options, GIT_DIFF_OPTIONS_VERSION);
    options.context_lines = 3;
    diff_ptr diff;
    if (open_into(diff, git_diff_tree_to_tree, impl_->handle(), from.get(), to.get(), &options) !=
        0)
        return impl_->failed("cannot compare");
    printed out{{}, limit};
    const int code = git_diff_print(diff.get(), GIT_DIFF_FORMAT_PATCH, print_line, &out);
    if (code != 0 && code != GIT_EUSER) return impl_->failed("cannot compare");
    return out.text;
}

} // namespace sluice::promotion::git
