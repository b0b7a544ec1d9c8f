#include "base/files.hpp"

#include "base/unique_fd.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace sluice {
namespace fs = std::filesystem;

namespace {

error failed(const fs::path& path, std::error_code why) {
    const bool missing =
        why == std::errc::no_such_file_or_directory || why == std::errc::not_a_directory;
    return {
        missing ? errc::not_found : errc::unavailable,
        fmt::format("{}: {}", path.string(), why.message())
    };
}

error failed(const fs::path& path, int number) {
    return failed(path, std::error_code{number, std::generic_category()});
}

} // namespace

result<std::string> read_file(const fs::path& file, std::size_t limit) {
    // Non-blocking, so that a fifo left in the folder cannot hang the reader.
    const unique_fd fd{::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
    if (!fd) return failed(file, errno);
    struct ::stat info{};
    if (::fstat(fd.get(), &info) != 0) return failed(file, errno);
    if (!S_ISREG(info.st_mode))
        return error{errc::invalid_argument, fmt::format("{}: not a regular file", file.string())};

    std::string text;
    constexpr std::size_t step = std::size_t{64} << 10U;
    // The size is a hint only: the file may grow while it is read.
    text.reserve(std::min(static_cast<std::size_t>(info.st_size), limit) + 1);
    for (;;) {
        const auto before = text.size();
        text.resize(before + std::max(step, text.capacity() - before));
        const auto got = ::read(fd.get(), text.data() + before, text.size() - before);
        text.resize(before + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        if (got < 0 && errno == EINTR) continue;
        if (got < 0) return failed(file, errno);
        if (text.size() > limit) {
            return error{
                errc::payload_too_large,
                fmt::format("{}: larger than {} KiB", file.string(), limit / 1024)
            };
        }
        if (got == 0) return text;
    }
}

result<std::vector<fs::path>> yaml_files(const fs::path& root) {
    std::vector<fs::path> files;
    std::error_code ec;
    fs::recursive_directory_iterator it{root, ec};
    while (!ec && it != fs::recursive_directory_iterator{}) {
        const auto& path = it->path();
        const auto name = path.filename().string();
        std::error_code ignored; // a file that went meanwhile is no file
        if (name.starts_with('.')) {
            it.disable_recursion_pending();
        } else if ((path.extension() == ".yaml" || path.extension() == ".yml") &&
                   it->is_regular_file(ignored)) {
            files.push_back(path);
        }
        it.increment(ec);
    }
    if (ec) return failed(root, ec);
    std::ranges::sort(files);
    return files;
}

} // namespace sluice
