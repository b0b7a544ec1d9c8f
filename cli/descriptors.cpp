#include "cli/descriptors.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace sluice::cli {

outcome raise_descriptor_limit(std::size_t needed) {
    const auto want = static_cast<rlim_t>(needed);
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) != 0) {
        return error{errc::internal, fmt::format("getrlimit: {}", std::strerror(errno))};
    }
    if (limit.rlim_cur >= want) return {};
    const rlimit all{want, std::max(limit.rlim_max, want)};
    if (::setrlimit(RLIMIT_NOFILE, &all) == 0)
        return {}; // the hard limit allowed it, or we may raise that too
    const rlimit most{limit.rlim_max, limit.rlim_max};
    const auto reached = ::setrlimit(RLIMIT_NOFILE, &most) == 0 ? limit.rlim_max : limit.rlim_cur;
    return error{
        errc::unavailable,
        fmt::format(
            "only {} files may be open, {} are needed for limits.connections; raise the limit "
            "(ulimit -Hn, or LimitNOFILE= of the service) or lower limits.connections",
            reached,
            needed
        ),
    };
}

} // namespace sluice::cli
