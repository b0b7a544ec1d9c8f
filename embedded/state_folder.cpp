#include "embedded/state_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

namespace sluice::embedded {
namespace {

error system_error(const std::filesystem::path& place, const char* doing, const char* remedy) {
    return error(
        errc::unavailable,
        fmt::format("{}: cannot {}: {}; {}", place.string(), doing, std::strerror(errno), remedy)
    );
}

// The name of a new folder is itself something that a power cut may take away.
void sync_folder(const std::filesystem::path& folder) {
    const unique_fd fd{::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    if (fd) ::fsync(fd.get());
}

std::string holder_of(int fd) {
    std::array<char, 32> text{};
    const auto size = ::pread(fd, text.data(), text.size(), 0);
    std::string pid(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
    while (!pid.empty() && pid.back() == '\n') pid.pop_back();
    return pid.empty() ? "another process" : "process " + pid;
}

} // namespace

result<state_folder> state_folder::lock(const std::filesystem::path& folder) {
    const auto path = std::filesystem::absolute(folder).lexically_normal();
    std::error_code ec;
    if (!std::filesystem::exists(path, ec)) {
        if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), ec);
        if (::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
            return system_error(
                path, "make the state folder", "give a folder you may write to by --state"
            );
        }
        sync_folder(path.parent_path());
    }
    const auto file = path / "lock";
    unique_fd fd{::open(file.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)};
    if (!fd)
        return system_error(file, "open the lock", "give a folder you may write to by --state");
    if (::flock(fd.get(), LOCK_EX | LOCK_NB) != 0) {
        if (errno != EWOULDBLOCK) return system_error(file, "lock", "use a local file system");
        return error(
            errc::conflict,
            fmt::format(
                "{} is in use by {}; stop it, or give another folder by --state",
                path.string(),
                holder_of(fd.get())
            )
        );
    }
    const auto pid = std::to_string(::getpid()) + "\n";
    const bool told =
        ::ftruncate(fd.get(), 0) == 0 &&
        ::pwrite(fd.get(), pid.data(), pid.size(), 0) == static_cast<ssize_t>(pid.size());
    // A full disk must not keep us from starting: the lock itself is held, only its note is missing.
    (void)told;
    return state_folder{path, std::move(fd)};
}

} // namespace sluice::embedded
