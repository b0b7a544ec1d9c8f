#include "promotion/git/cache.hpp"

#include "observe/log.hpp"
#include "promotion/git/cache_files.hpp"
#include "promotion/git/copy_objects.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <git2/sys/mempack.h>
#include <git2/sys/odb_backend.h>
#include <sys/file.h>
#include <sys/stat.h>

namespace sluice::promotion::git {
namespace {

namespace fs = std::filesystem;
constexpr std::string_view prefix = "refs/cache/";
constexpr int before_the_disk = 1'000;

error no_cache(const fs::path& folder, std::string_view why) {
    return {
        errc::unavailable,
        fmt::format("the git cache {} cannot be used: {}", folder.string(), why),
        "the git cache cannot be used; see the log"
    };
}

} // namespace

result<std::unique_ptr<cache>> cache::open(fs::path folder, fs::path lender) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed) return no_cache(folder, failed.message());
    fs::permissions(folder, fs::perms::owner_all, failed);
    std::unique_ptr<cache> out{new cache{std::move(folder), std::move(lender)}};
    out->in_use_ =
        unique_fd{::open((out->folder_ / "in-use").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!out->in_use_) return no_cache(out->folder_, std::generic_category().message(errno));
    // Alone, what is half-written belongs to nobody. Another handle's half-written files are its own.
    const bool alone = ::flock(out->in_use_.get(), LOCK_EX | LOCK_NB) == 0;
    if (alone) remove_leftovers(out->repository_folder());
    ::futimens(out->in_use_.get(), nullptr); // when it was last opened
    auto opened = out->open_or_make();
    if (::flock(out->in_use_.get(), LOCK_SH) != 0)
        return no_cache(out->folder_, std::generic_category().message(errno));
    if (!opened) return opened.error();
    return out;
}

outcome cache::open_or_make() {
    const auto path = repository_folder();
    std::error_code ignored;
    if (!fs::exists(path, ignored)) {
        remove_unused(folder_.parent_path());
        return make();
    }
    constexpr unsigned flags = GIT_REPOSITORY_OPEN_NO_SEARCH | GIT_REPOSITORY_OPEN_BARE;
    const int code = open_into(repository_, git_repository_open_ext, path.c_str(), flags, nullptr);
    if (code == 0 && set_up(repository()) && usable()) return {};
    log::warn(
        "a git cache is damaged and is built again",
        {{"folder", folder_.string()}, {"why", last_error()}}
    );
    return make();
}

// The old one stays in use until the new one is there, so that a full disk leaves something to work with.
outcome cache::make() {
    const auto path = repository_folder();
    const auto fresh = folder_ / "repository.new";
    std::error_code failed;
    fs::remove_all(fresh, failed);
    repository_ptr made;
    if (open_into(made, git_repository_init, fresh.c_str(), 1U) != 0)
        return no_cache(folder_, last_error());
    if (auto gone = remove_folder(path); !gone) return gone.error();
    fs::rename(fresh, path, failed);
    if (failed) return no_cache(folder_, failed.message());
    if (open_into(made, git_repository_open_bare, path.c_str()) != 0 || !set_up(made.get()))
        return no_cache(folder_, last_error());
    repository_ = std::move(made);
    damaged_ = false;
    return {};
}

bool cache::set_up(git_repository* repository) {
    odb_ptr objects;
    if (open_into(objects, git_repository_odb, repository) != 0) return false;
    if (borrows() && git_odb_add_disk_alternate(objects.get(), lender_.c_str()) != 0) return false;
    git_odb_backend* made = nullptr;
    if (git_mempack_new(&made) != 0) return false;
    if (git_odb_add_backend(objects.get(), made, before_the_disk) != 0) {
        made->free(made);
        return false;
    }
    in_memory_ = made;
    return true;
}

outcome cache::keep(const std::vector<git_oid>& objects) {
    if (borrows()) return {};
    odb_ptr disk;
    const auto folder = repository_folder() / "objects";
    if (open_into(disk, git_odb_open, folder.c_str()) != 0 ||
        copy_objects(repository(), disk.get(), objects) != 0)
        return no_cache(folder_, last_error());
    return {};
}

void cache::drop_unkept() {
    git_mempack_reset(in_memory_);
}

bool cache::usable() const {
    for (const auto& branch : branches()) {
        git_oid id;
        commit_ptr commit;
        tree_ptr tree;
        if (!parse_id(tip(branch), id) ||
            open_into(commit, git_commit_lookup, repository(), &id) != 0 ||
            open_into(tree, git_commit_tree, commit.get()) != 0)
            return false;
    }
    return true;
}

bool cache::still_there() const {
    struct ::stat ours{};
    struct ::stat there{};
    std::error_code ignored;
    return ::fstat(in_use_.get(), &ours) == 0 &&
           ::stat((folder_ / "in-use").c_str(), &there) == 0 && ours.st_ino == there.st_ino &&
           fs::exists(repository_folder() / "HEAD", ignored);
}

void cache::throw_away() {
    log::warn("a git cache is damaged and is thrown away", {{"folder", folder_.string()}});
    if (auto gone = remove_folder(repository_folder()); !gone)
        log::warn("a damaged git cache stays", {{"error", gone.error().message}});
}

outcome cache::refresh() {
    if (!damaged_ && !has_grown(repository_folder())) return {};
    log::info(
        "a git cache is built again",
        {{"folder", folder_.string()}, {"why", damaged_ ? "damaged" : "grown"}}
    );
    return make();
}

std::string cache::tip(const std::string& branch) const {
    git_oid id;
    const auto name = fmt::format("{}{}", prefix, branch);
    return git_reference_name_to_id(&id, repository(), name.c_str()) == 0 ? to_text(id) : "";
}

std::vector<std::string> cache::branches() const {
    std::vector<std::string> out;
    reference_iterator_ptr each;
    if (open_into(each, git_reference_iterator_glob_new, repository(), "refs/cache/*") != 0)
        return out;
    const char* name = nullptr;
    while (git_reference_next_name(&name, each.get()) == 0) out.emplace_back(name + prefix.size());
    return out;
}

outcome cache::set_tip(const std::string& branch, const git_oid& id) {
    if (borrows() || tip(branch) == to_text(id)) return {};
    reference_ptr made;
    const auto name = fmt::format("{}{}", prefix, branch);
    if (open_into(made, git_reference_create, repository(), name.c_str(), &id, 1, "") != 0)
        return no_cache(folder_, last_error());
    return {};
}

void cache::forget(const std::string& branch) {
    if (!borrows()) git_reference_remove(repository(), fmt::format("{}{}", prefix, branch).c_str());
}

void cache::keep_only(const branch_tips& there) {
    for (const auto& branch : branches())
        if (!there.contains(branch)) forget(branch);
}

} // namespace sluice::promotion::git
