#pragma once

#include "base/error.hpp"

#include <git2.h>

#include <memory>
#include <string>
#include <string_view>

// Owners for libgit2's objects, and what went wrong on this thread.
namespace sluice::promotion::git {

template <auto Free>
struct git_deleter {
    template <class T>
    void operator()(T* p) const noexcept {
        Free(p);
    }
};

using repository_ptr = std::unique_ptr<git_repository, git_deleter<git_repository_free>>;
using odb_ptr = std::unique_ptr<git_odb, git_deleter<git_odb_free>>;
using odb_object_ptr = std::unique_ptr<git_odb_object, git_deleter<git_odb_object_free>>;
using object_ptr = std::unique_ptr<git_object, git_deleter<git_object_free>>;
using commit_ptr = std::unique_ptr<git_commit, git_deleter<git_commit_free>>;
using tree_ptr = std::unique_ptr<git_tree, git_deleter<git_tree_free>>;
using tree_entry_ptr = std::unique_ptr<git_tree_entry, git_deleter<git_tree_entry_free>>;
using reference_ptr = std::unique_ptr<git_reference, git_deleter<git_reference_free>>;
using reference_iterator_ptr =
    std::unique_ptr<git_reference_iterator, git_deleter<git_reference_iterator_free>>;
using remote_ptr = std::unique_ptr<git_remote, git_deleter<git_remote_free>>;
using revwalk_ptr = std::unique_ptr<git_revwalk, git_deleter<git_revwalk_free>>;
using signature_ptr = std::unique_ptr<git_signature, git_deleter<git_signature_free>>;
using packbuilder_ptr = std::unique_ptr<git_packbuilder, git_deleter<git_packbuilder_free>>;
using diff_ptr = std::unique_ptr<git_diff, git_deleter<git_diff_free>>;

// Fills an owner through libgit2's out parameter: open_into(repo, git_repository_open, path). Its return code.
template <class T, class D, class F, class... Args>
[[nodiscard]] int open_into(std::unique_ptr<T, D>& out, F function, Args... args) {
    T* raw = nullptr;
    const int code = function(&raw, args...);
    out.reset(code == 0 ? raw : nullptr);
    return code;
}

// libgit2 keeps its errors by thread: ask at once, on the thread that made the call.
[[nodiscard]] std::string last_error();
// The complaint is about stored objects, so the cache cannot be trusted any more.
[[nodiscard]] bool last_error_is_damage() noexcept;

[[nodiscard]] std::string to_text(const git_oid& id);
// Nothing for what is no full id.
[[nodiscard]] bool parse_id(std::string_view text, git_oid& out) noexcept;

} // namespace sluice::promotion::git
