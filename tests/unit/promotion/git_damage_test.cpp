#include "tests/unit/promotion/git_https_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using promotion::git::ref_result;

namespace {

namespace fs = std::filesystem;

fs::path objects(const git_https& s) {
    const auto key = promotion::git::remote{s.url(), s.login()}.key();
    return s.env.caches / key / "repository" / "objects";
}

void push_to_main(const git_https& s, const std::string& version) {
    auto repository = s.open();
    const auto p = prepare(*repository, version);
    const auto pushed = repository->push({{"main", p.base, p.commit}});
    REQUIRE(pushed.has_value());
    REQUIRE(pushed->at(0).result == ref_result::done);
}

} // namespace

TEST_CASE("a bad sector deep inside the cache stops one try, not the repository for ever") {
    git_https s;
    s.env.warm = nullptr; // as after a restart
    push_to_main(s, "6.1.8");
    const auto folder = s.origin.remote_git("rev-parse main:prod");
    REQUIRE(fs::remove(objects(s) / folder.substr(0, 2) / folder.substr(2)));
    {
        auto repository = s.open();
        const auto tips = repository->fetch({"main"});
        REQUIRE(tips.has_value());
        const auto met = repository->patch(tips->at("main"), podinfo_prod, revision("6.1.9"), {});
        REQUIRE(!met.has_value());
        CHECK(met.error().code == errc::unavailable);
    }
    CHECK(prepare(*s.open(), "6.1.9").tree.places.size() == 1);
}

TEST_CASE("a cache that has no room for what was pushed costs a fetch, not the promotion") {
    git_https s;
    s.env.warm = nullptr;
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    for (int i = 0; i < 256; ++i) std::ofstream{objects(s) / fmt::format("{:02x}", i)} << "full";
    const auto pushed = repository->push({{"one", "", p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::done);
    CHECK(s.origin.tip("one") == p.commit);
    repository.reset();
    for (int i = 0; i < 256; ++i) fs::remove(objects(s) / fmt::format("{:02x}", i));
    auto next = s.open();
    const auto tips = next->fetch({"main", "one"});
    REQUIRE(tips.has_value());
    CHECK(next->patch(tips->at("one"), podinfo_prod, revision("6.1.9"), {}).has_value());
}
