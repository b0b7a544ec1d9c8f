#pragma once

#include "promotion/git/wire.hpp"

#include <filesystem>

namespace sluice::promotion::git {

// A repository in a folder of this machine, reached without a protocol: its objects are read where they are, ours are
// written beside them, and refs change under git's own lock. No hook runs.
class local_wire final : public wire {
public:
    [[nodiscard]] static result<std::unique_ptr<wire>>
    open(const std::filesystem::path& folder, const std::string& url);

    void begin() override {} // nothing here waits for another machine
    result<branch_tips> list() override;
    result<branch_tips> fetch(cache& into, const std::vector<std::string>& wanted) override;
    result<std::vector<ref_status>> push(
        cache& from, const std::vector<ref_update>& updates, const std::vector<git_oid>& objects
    ) override;
    [[nodiscard]] std::filesystem::path objects() const override;

private:
    local_wire(repository_ptr r, std::string url) : remote_(std::move(r)), url_(std::move(url)) {}
    [[nodiscard]] outcome copy(git_repository* from, const std::vector<git_oid>& objects);
    [[nodiscard]] ref_status update(const ref_update& u);
    [[nodiscard]] ref_status remove(const ref_update& u, const std::string& name);
    [[nodiscard]] error failed(std::string_view doing) const;

    repository_ptr remote_;
    std::string url_;
};

} // namespace sluice::promotion::git
