#include "cli/signals.hpp"

#include <pthread.h>
#include <unistd.h>

#include <csignal>

namespace sluice::cli {
namespace {

sigset_t watched(bool with_hangup) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    if (with_hangup) sigaddset(&set, SIGHUP);
    return set;
}

// A handler, not the default action: that one does nothing in the first process of a container.
extern "C" void end_now(int /*signal*/) {
    ::_exit(1);
}

} // namespace

signals::signals() {
    const auto set = watched(true);
    ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
    // A parent may have left them ignored (nohup, a shell's background job), and an ignored one never comes.
    for (const int one : {SIGTERM, SIGINT, SIGHUP}) std::signal(one, SIG_DFL);
    std::signal(SIGPIPE, SIG_IGN); // OpenSSL writes to sockets whose peer may be gone
}

void signals::wait_for_stop(const std::function<void()>& reload) {
    const auto set = watched(true);
    for (int received = 0; received != SIGTERM && received != SIGINT;) {
        if (::sigwait(&set, &received) != 0 || received != SIGHUP) continue;
        if (!reload) break;
        reload();
    }
    // A hangup stays blocked: nothing is read again while we stop.
    std::signal(SIGTERM, end_now);
    std::signal(SIGINT, end_now);
    const auto stopping = watched(false);
    ::pthread_sigmask(SIG_UNBLOCK, &stopping, nullptr);
}

} // namespace sluice::cli
