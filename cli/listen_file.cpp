#include "cli/listen_file.hpp"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

namespace sluice::cli {

namespace fs = std::filesystem;

result<listen_file>
listen_file::write(const fs::path& state, const std::vector<std::string>& urls) {
    const auto path = state / "listen";
    const auto draft = state / "listen.new";
    errno = 0;
    std::ofstream out{draft, std::ios::trunc};
    for (const auto& url : urls) out << url << '\n';
    out.close();
    std::error_code ec;
    if (out) fs::rename(draft, path, ec); // whoever waits for it finds it whole
    if (!out || ec) {
        const std::string cause = ec ? ec.message() : std::strerror(errno);
        return error{
            errc::unavailable,
            path.string() + ": cannot be written (" + cause + "); is the state folder writable?"
        };
    }
    return listen_file{path};
}

listen_file::listen_file(listen_file&& other) noexcept : path_(std::exchange(other.path_, {})) {}

listen_file& listen_file::operator=(listen_file&& other) noexcept {
    std::swap(path_, other.path_);
    return *this;
}

listen_file::~listen_file() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove(path_, ignored);
}

} // namespace sluice::cli
