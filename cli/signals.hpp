#pragma once

#include <functional>

namespace sluice::cli {

// SIGTERM, SIGINT and SIGHUP come to whoever asks here, and to no other thread. Made before the first thread is.
class signals {
public:
    signals();

    // Calls `reload` on every SIGHUP; returns at the first SIGTERM or SIGINT, and without `reload` at a SIGHUP too. The next
    // SIGTERM or SIGINT ends the process at once.
    void wait_for_stop(const std::function<void()>& reload = {});
};

} // namespace sluice::cli
