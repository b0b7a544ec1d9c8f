#include "base/thread_priority.hpp"
#include "tests/support/catch.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <thread>

using namespace sluice;

namespace {

int niceness_of_this_thread() {
    return getpriority(PRIO_PROCESS, static_cast<id_t>(gettid()));
}

} // namespace

TEST_CASE("the thread everybody waits for goes before the others, which stay as they were") {
    const int before = niceness_of_this_thread();
    bool allowed = false;
    int after = before;
    std::thread writer{[&] {
        allowed = put_this_thread_first();
        after = niceness_of_this_thread();
    }};
    writer.join();
    CHECK((allowed ? after < before : after == before));
    CHECK(niceness_of_this_thread() == before);
}
