#include "tests/unit/observe/stderr_capture.hpp"
#include "tests/unit/server/handlers_fixture.hpp"
#include "tests/unit/server/server_fixture.hpp"

#include <fmt/ranges.h>

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;

namespace {

constexpr const char* traced =
    "X-Request-Id: find-me\r\n"
    "traceparent: 00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01\r\n";
constexpr const char* told = " request_id=find-me trace_id=0af7651916cd43dd8448eb211c80319c";

std::string written(const log::stderr_capture& captured) {
    return fmt::format("{}", fmt::join(captured.lines(), "\n"));
}

} // namespace

TEST_CASE("a handler that throws is found in the log by the id and the trace of its request") {
    const log::stderr_capture captured;
    server_fixture fixture;
    wire_client client(fixture.http);
    client.send(get("/fail", traced));
    REQUIRE(client.answer());
    CHECK_THAT(written(captured), Contains("a handler failed") && Contains(told));
}

TEST_CASE("who approved, and who was refused, is found in the log by the id and the trace") {
    handlers_fixture f;
    f.offer("6.1.8");
    const std::string path = "/approval/default/podinfo/prod/6.1.8";
    const auto right = f.signed_with("prod approves", auth::scheme::bound, path);
    {
        const log::stderr_capture captured;
        CHECK(f.post(path, "", traced).status == 401);
        CHECK_THAT(written(captured), Contains("not authenticated") && Contains(told));
    }
    const log::stderr_capture captured;
    CHECK(f.post(path, "", traced + right).status == 202);
    CHECK_THAT(written(captured), Contains("approved") && Contains(told));
}
