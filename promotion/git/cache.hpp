#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"
#include "promotion/git/handles.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace sluice::promotion::git {

using branch_tips = std::map<std::string, std::string>;

// FOLDER/repository: a bare repository whose refs/cache/* are the remote's branches as last seen. Losing it costs only
// time, so a broken one is thrown away. What else is known of the same objects (FOLDER/markers) outlives that.
class cache {
public:
    // Leftovers of a killed process are removed, if no other handle is at work in the folder. What is in `lender`, a folder of
    // objects, need not be in the cache.
    [[nodiscard]] static result<std::unique_ptr<cache>>
    open(std::filesystem::path folder, std::filesystem::path lender = {});

    [[nodiscard]] git_repository* repository() const noexcept { return repository_.get(); }
    // False when someone removed the folder: nothing can be written here any more.
    [[nodiscard]] bool still_there() const;
    [[nodiscard]] std::filesystem::path marker_file() const { return folder_ / "markers"; }

    // The next refresh() builds it anew.
    void mark_damaged() noexcept { damaged_ = true; }
    [[nodiscard]] bool damaged() const noexcept { return damaged_; }
    // Whoever opens the folder next builds it anew: damage deep inside is seen only by who stumbles over it.
    void throw_away();
    // Before a fetch: one that is damaged or has grown too much is empty afterwards.
    [[nodiscard]] outcome refresh();

    // What is written here stays in memory until it is kept, so that what is only tried never reaches the disk.
    [[nodiscard]] outcome keep(const std::vector<git_oid>& objects);
    void drop_unkept();

    // Empty where it is not known. What is borrowed needs no name: a cache with a lender knows none.
    [[nodiscard]] std::string tip(const std::string& branch) const;
    [[nodiscard]] std::vector<std::string> branches() const;
    [[nodiscard]] outcome set_tip(const std::string& branch, const git_oid& id);
    void forget(const std::string& branch);
    // All others are forgotten: a branch that gave way to a folder of branches would be in the way of their refs.
    void keep_only(const branch_tips& there);

private:
    cache(std::filesystem::path folder, std::filesystem::path lender)
        : folder_(std::move(folder)), lender_(std::move(lender)) {}
    [[nodiscard]] outcome open_or_make();
    [[nodiscard]] outcome make();
    [[nodiscard]] bool borrows() const noexcept { return !lender_.empty(); }
    [[nodiscard]] bool set_up(git_repository* repository);
    [[nodiscard]] bool usable() const;
    [[nodiscard]] std::filesystem::path repository_folder() const { return folder_ / "repository"; }

    std::filesystem::path folder_;
    std::filesystem::path lender_;
    unique_fd in_use_; // locked as long as this lives
    repository_ptr repository_;
    git_odb_backend* in_memory_ = nullptr; // owned by the repository
    bool damaged_ = false;
};

} // namespace sluice::promotion::git
