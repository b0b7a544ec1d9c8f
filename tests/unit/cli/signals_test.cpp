#include "cli/signals.hpp"
#include "tests/support/catch.hpp"

#include <pthread.h>

#include <csignal>

TEST_CASE(
    "a hangup reads again and goes on, a termination ends the wait and leaves the next one deadly"
) {
    sigset_t before;
    REQUIRE(::pthread_sigmask(SIG_SETMASK, nullptr, &before) == 0);
    std::signal(SIGTERM, SIG_IGN); // as a shell's background job inherits it
    sluice::cli::signals received;
    REQUIRE(
        std::raise(SIGHUP) == 0
    ); // pending, as is the next: the wait takes them in the order of their numbers
    REQUIRE(std::raise(SIGTERM) == 0);
    int reloads = 0;
    received.wait_for_stop([&] { ++reloads; });
    CHECK(reloads == 1);

    sigset_t after;
    REQUIRE(::pthread_sigmask(SIG_SETMASK, nullptr, &after) == 0);
    CHECK(sigismember(&after, SIGTERM) == 0);
    CHECK(sigismember(&after, SIGINT) == 0);
    CHECK(sigismember(&after, SIGHUP) == 1);
    CHECK(std::signal(SIGTERM, SIG_DFL) != SIG_DFL);
    CHECK(std::signal(SIGINT, SIG_DFL) != SIG_DFL);
    REQUIRE(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
}

TEST_CASE("where nothing can be read again a hangup ends the wait: the terminal is gone") {
    sigset_t before;
    REQUIRE(::pthread_sigmask(SIG_SETMASK, nullptr, &before) == 0);
    sluice::cli::signals received;
    REQUIRE(std::raise(SIGHUP) == 0);
    received.wait_for_stop();
    std::signal(SIGTERM, SIG_DFL);
    std::signal(SIGINT, SIG_DFL);
    REQUIRE(::pthread_sigmask(SIG_SETMASK, &before, nullptr) == 0);
}
