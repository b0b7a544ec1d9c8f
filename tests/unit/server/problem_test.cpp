#include "server/problem.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_tree.hpp"

#include <nlohmann/json.hpp>

#include <fstream>
#include <set>
#include <sstream>
#include <string>

using namespace sluice;
using namespace sluice::server;

namespace {

std::string documentation() {
    std::ifstream file(sluice::tests::source_tree() / "docs/problems.md");
    std::stringstream text;
    text << file.rdbuf();
    return text.str();
}

} // namespace

TEST_CASE(
    "every kind of error has one status and one type of its own, and docs/problems.md explains it"
) {
    const std::string docs = documentation();
    REQUIRE_FALSE(docs.empty());
    std::set<std::string_view> types;
    for (int code = 0; code <= static_cast<int>(errc::internal); ++code) {
        const auto& kind = problem_of(static_cast<errc>(code));
        INFO(kind.type);
        CHECK(kind.code == static_cast<errc>(code));
        CHECK(kind.status >= 400);
        CHECK(http::reason_phrase(kind.status) != "Unknown");
        CHECK(types.insert(kind.type).second);
        CHECK(docs.find("`" + std::string(kind.type) + "`") != std::string::npos);
        CHECK(docs.find(std::to_string(kind.status)) != std::string::npos);
    }
    CHECK(types.size() == problem_kinds().size());
}

TEST_CASE("a problem tells the caller's part of an error and never the log's") {
    const auto answer = problem({errc::unprocessable, "file /x/y", "say it so"}, "id-1");
    CHECK(answer.status == 422);
    CHECK(answer.content_type == "application/problem+json");
    const auto body = nlohmann::json::parse(answer.body);
    CHECK(body["type"] == "urn:sluice:problem:unprocessable");
    CHECK(body["status"] == 422);
    CHECK(body["detail"] == "say it so");
    CHECK(body["requestId"] == "id-1");
    CHECK(answer.body.find("/x/y") == std::string::npos);
    CHECK(problem({errc::internal, "secret"}, "").body.find("secret") == std::string::npos);
}

TEST_CASE("what may work later says when, and never later than Flux still tries") {
    const auto header = [](const http::response& r) {
        return r.headers.empty() ? std::string{}
                                 : r.headers.front().first + "=" + r.headers.front().second;
    };
    CHECK(header(problem({errc::unavailable, "x"}, "")) == "Retry-After=1");
    CHECK(
        header(problem(error{errc::unavailable, "x"}.after(std::chrono::seconds{60}), "")) ==
        "Retry-After=2"
    );
    CHECK(
        header(problem(error{errc::too_many_requests, "x"}.after(std::chrono::seconds{1}), "")) ==
        "Retry-After=1"
    );
    CHECK(header(problem({errc::not_found, "x"}, "")).empty());
}

TEST_CASE("text that is not UTF-8 still makes a valid problem") {
    const auto answer = problem({errc::invalid_argument, "bad \xff byte"}, "");
    CHECK_NOTHROW(nlohmann::json::parse(answer.body));
}
