#include "tests/unit/promotion/git_https_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;
using promotion::git::ref_result;

namespace {

struct pushing : git_https {
    std::unique_ptr<promotion::git::repository> repository = open();
    std::string commit = prepare(*repository, "6.1.8").commit;

    auto push(const std::vector<std::string>& branches) const {
        std::vector<promotion::git::ref_update> updates;
        updates.reserve(branches.size());
        for (const auto& branch : branches) updates.push_back({branch, "", commit});
        return repository->push(updates);
    }
    // Requests that carried a push, once there are so many requests in all.
    [[nodiscard]] std::size_t pushes(std::ptrdiff_t requests_in_all) const {
        const auto log = requests(requests_in_all);
        std::size_t n = 0;
        for (auto at = log.find("/git-receive-pack"); at != std::string::npos;
             at = log.find("/git-receive-pack", at + 1))
            ++n;
        return n;
    }
};

} // namespace

TEST_CASE("a push that is refused as a whole is tried branch by branch, and what arrived stays") {
    pushing s;
    s.fault("status:403:2 receive-pack"); // the whole, and the first alone
    const auto pushed = s.push({"one", "two", "three"});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::refused);
    CHECK_THAT(pushed->at(0).message, Contains("403"));
    CHECK(pushed->at(1).result == ref_result::done);
    CHECK(pushed->at(2).result == ref_result::done);
    CHECK(s.origin.tip("three") == s.commit);
}

TEST_CASE("a login that may not write is not tried with every branch") {
    pushing s;
    s.fault("status:403 receive-pack");
    const auto pushed = s.push({"one", "two", "three", "four", "five"});
    REQUIRE(!pushed.has_value());
    CHECK(pushed.error().code == errc::unprocessable);
    CHECK_THAT(pushed.error().message, Contains("write"));
    s.fault("");
    REQUIRE(s.push({"one"}).has_value());
    CHECK(s.pushes(2 + 3 + 1) == 3 + 1); // a fetch, the whole and two alone, the last
}

TEST_CASE("a server without room for a push is asked again later, and nobody is told to allow it") {
    pushing s;
    s.origin.remote_git("config receive.maxInputSize 10");
    SECTION("of one branch") {
        const auto pushed = s.push({"one"});
        REQUIRE(pushed.has_value());
        CHECK(pushed->at(0).result == ref_result::later);
        CHECK_THAT(pushed->at(0).message, Contains("unpack"));
    }
    SECTION("of several") {
        const auto pushed = s.push({"one", "two", "three", "four"});
        REQUIRE(pushed.has_value());
        for (const auto& o : *pushed) CHECK(o.result == ref_result::later);
    }
    s.origin.remote_git("config --unset receive.maxInputSize");
    const auto healed = s.push({"one"});
    REQUIRE(healed.has_value());
    CHECK(healed->at(0).result == ref_result::done);
}
