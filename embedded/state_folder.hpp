#pragma once

#include "base/result.hpp"
#include "base/unique_fd.hpp"

#include <filesystem>

namespace sluice::embedded {

// The folder that holds all that must survive. Only its owner may look inside, and only one process may write in it.
class state_folder {
public:
    // Made with mode 0700 when it is not there. errc::conflict names the process that holds it.
    [[nodiscard]] static result<state_folder> lock(const std::filesystem::path& folder);

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
    [[nodiscard]] std::filesystem::path database() const { return database_in(path_); }
    [[nodiscard]] static std::filesystem::path database_in(const std::filesystem::path& folder) {
        return folder / "sluice.db";
    }

private:
    state_folder(std::filesystem::path path, unique_fd lock)
        : path_(std::move(path)), lock_(std::move(lock)) {}

    std::filesystem::path path_;
    unique_fd lock_; // closing it, also by dying, gives the folder free
};

} // namespace sluice::embedded
