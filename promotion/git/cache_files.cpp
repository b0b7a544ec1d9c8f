#include "promotion/git/cache_files.hpp"

#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace sluice::promotion::git {
namespace {

namespace fs = std::filesystem;
constexpr std::chrono::hours unused_after{24 * 30};
constexpr std::ptrdiff_t most_packs = 50;
constexpr std::ptrdiff_t most_loose_in_one_folder = 40; // of 256: about 10,000 objects

bool is_leftover(const std::string& name) {
    return name.starts_with("tmp_") || name.starts_with("pack_git2_") || name.ends_with(".lock") ||
           name.find("_git2_") != std::string::npos;
}

void remove_if_leftover(const fs::directory_entry& entry) {
    std::error_code ignored;
    if (entry.is_regular_file(ignored) && is_leftover(entry.path().filename().string()))
        fs::remove(entry.path(), ignored);
}

template <class Condition>
std::ptrdiff_t count(const fs::path& folder, Condition condition) {
    std::error_code ignored;
    return std::count_if(
        fs::directory_iterator{folder, ignored}, fs::directory_iterator{}, condition
    );
}

} // namespace

void remove_leftovers(const fs::path& repository) {
    std::error_code ignored;
    for (const auto& sibling : fs::directory_iterator{repository.parent_path(), ignored})
        if (sibling.path().extension() == ".old") fs::remove_all(sibling.path(), ignored);
    const auto refs = fs::recursive_directory_iterator{repository / "refs", ignored};
    for (const auto& entry : refs) remove_if_leftover(entry);
    // Objects are written at the top and moved into their folders when they are whole.
    for (const auto& folder : {repository, repository / "objects", repository / "objects" / "pack"})
        for (const auto& entry : fs::directory_iterator{folder, ignored}) remove_if_leftover(entry);
}

void remove_unused(const fs::path& caches) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator{caches, ignored}) {
        const auto lock = entry.path() / "in-use";
        const auto opened = fs::last_write_time(lock, ignored);
        if (ignored || fs::file_time_type::clock::now() - opened < unused_after) continue;
        const unique_fd fd{::open(lock.c_str(), O_RDWR | O_CLOEXEC)};
        if (fd && ::flock(fd.get(), LOCK_EX | LOCK_NB) == 0) fs::remove_all(entry.path(), ignored);
    }
}

bool has_grown(const fs::path& repository) {
    const auto is_pack = [](const auto& entry) { return entry.path().extension() == ".pack"; };
    if (count(repository / "objects" / "pack", is_pack) > most_packs) return true;
    // Ids are spread evenly, so one folder tells about all.
    return count(repository / "objects" / "17", [](const auto&) { return true; }) >
           most_loose_in_one_folder;
}

outcome remove_folder(const fs::path& folder) {
    std::error_code failed;
    if (!fs::exists(folder, failed)) return {};
    auto aside = folder;
    aside += ".old";
    fs::remove_all(aside, failed);
    fs::rename(folder, aside, failed);
    if (failed)
        return error{
            errc::unavailable,
            fmt::format("cannot remove {}: {}", folder.string(), failed.message()),
            "the git cache cannot be removed; see the log"
        };
    fs::remove_all(aside, failed);
    return {};
}

} // namespace sluice::promotion::git
