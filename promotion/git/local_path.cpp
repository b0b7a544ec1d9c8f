#include "promotion/git/local_path.hpp"

#include "base/bytes.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace sluice::promotion::git {
namespace {

namespace fs = std::filesystem;

std::string decoded(std::string_view text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            if (const auto byte = from_hex(text.substr(i + 1, 2))) {
                out += *byte;
                i += 2;
                continue;
            }
        }
        out += text[i];
    }
    return out;
}

bool is_below(const fs::path& path, const fs::path& root) {
    const auto [left, right] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
    return left == root.end();
}

} // namespace

result<fs::path> local_path(const std::string& url, const fs::path& root) {
    const auto refuse = [&](std::string_view why) {
        return error{errc::unprocessable, fmt::format("{}: {}", url, why)};
    };
    if (root.empty())
        return refuse("repositories of this machine are not allowed: start sluice with "
                      "--local-repositories and the folder that holds them");
    const auto path = decoded(std::string_view{url}.substr(std::string_view{"file://"}.size()));
    if (!path.starts_with('/') || path.find('\0') != std::string::npos)
        return refuse("a file:// URL has three slashes and a whole path: file:///srv/git/fleet.git"
        );
    std::error_code failed;
    const auto allowed = fs::canonical(root, failed);
    if (failed)
        return refuse(fmt::format(
            "the folder of --local-repositories, {}: {}", root.string(), failed.message()
        ));
    const auto real = fs::canonical(path, failed);
    // One answer for what is not there and what is elsewhere: a Pipeline's author need not learn which.
    if (failed || !is_below(real, allowed))
        return refuse(fmt::format(
            "there is no such repository below {}, the folder of --local-repositories",
            root.string()
        ));
    return real;
}

} // namespace sluice::promotion::git
