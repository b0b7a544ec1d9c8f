#include "promotion/git/library.hpp"

#include <git2.h>

#include <mutex>
#include <stdexcept>

namespace sluice::promotion::git {
namespace {

// A few repositories at work at once shall fit into 64 MiB together with everything else.
constexpr std::size_t window_bytes = std::size_t{4} << 20U;
constexpr std::size_t mapped_bytes = std::size_t{32} << 20U;
constexpr std::ptrdiff_t object_cache_bytes = std::ptrdiff_t{16} << 20U;
// libgit2's own 4 KiB is a folder of a hundred files; each promotion of a crowd reads the same folders.
constexpr std::size_t cached_tree_bytes = std::size_t{256} << 10U;

void set_up() {
    if (git_libgit2_init() < 0) throw std::runtime_error("libgit2 does not start");
    // The person's gitconfig (url.insteadOf, http.proxy) must not change what a service does.
    for (const auto level :
         {GIT_CONFIG_LEVEL_PROGRAMDATA,
          GIT_CONFIG_LEVEL_SYSTEM,
          GIT_CONFIG_LEVEL_XDG,
          GIT_CONFIG_LEVEL_GLOBAL})
        git_libgit2_opts(GIT_OPT_SET_SEARCH_PATH, level, "");
    // The state folder may be a volume of another owner; who may write there is the operator's decision.
    git_libgit2_opts(GIT_OPT_SET_OWNER_VALIDATION, 0);
    git_libgit2_opts(GIT_OPT_ENABLE_STRICT_OBJECT_CREATION, 1);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_SIZE, window_bytes);
    git_libgit2_opts(GIT_OPT_SET_MWINDOW_MAPPED_LIMIT, mapped_bytes);
    git_libgit2_opts(GIT_OPT_SET_CACHE_MAX_SIZE, object_cache_bytes);
    git_libgit2_opts(GIT_OPT_SET_CACHE_OBJECT_LIMIT, GIT_OBJECT_TREE, cached_tree_bytes);
}

} // namespace

void start_library() {
    static std::once_flag once;
    std::call_once(once, set_up);
}

} // namespace sluice::promotion::git
