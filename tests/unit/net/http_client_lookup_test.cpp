#include "tests/unit/net/http_client_fixture.hpp"

#include <dlfcn.h>
#include <netdb.h>

#include <cstring>
#include <semaphore>

using namespace sluice;
using namespace sluice::tests;

namespace {

constexpr const char* stuck_host = "stuck.test";
std::counting_semaphore<> let_go{0};

} // namespace

// The C library's, but for one name whose server never answers.
extern "C" int
getaddrinfo(const char* node, const char* service, const addrinfo* hints, addrinfo** found) {
    if (node != nullptr && std::strcmp(node, stuck_host) == 0) {
        let_go.acquire();
        return EAI_AGAIN;
    }
    using original = int (*)(const char*, const char*, const addrinfo*, addrinfo**);
    static const auto real = reinterpret_cast<original>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    return real(node, service, hints, found);
}

TEST_CASE("a name server that never answers holds up neither its call nor the others") {
    scripted_server server{{answering(ok)}};
    http_client_fixture f;
    auto call = call_to(std::string{"http://"} + stuck_host + "/");
    call.deadlines.connect = 100ms;
    const auto start = std::chrono::steady_clock::now();
    const auto stuck = f.send(call);
    REQUIRE_FALSE(stuck.has_value());
    CHECK(stuck.error().code == errc::timed_out);
    CHECK(says(stuck.error().message, "within 100 ms: waited for the address of stuck.test"));
    CHECK(std::chrono::steady_clock::now() - start < 10s);
    CHECK(f.send(call_to(server.url())).has_value());
    let_go.release(); // else the loop's end would wait for it
}
