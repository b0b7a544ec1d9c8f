#include "tests/unit/promotion/git_https_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;
using promotion::git::ref_result;

namespace {

const std::string branch = "promotion-default-podinfo-prod";

} // namespace

TEST_CASE("a login the server does not know is a permanent error that says which key to check") {
    git_https s;
    const auto wrong = s.fetch_error(s.login("battery staple"), s.url());
    CHECK(wrong.code == errc::unprocessable);
    CHECK_THAT(wrong.message, Contains(s.url()) && Contains("`password`") && Contains("401"));
    CHECK_THAT(wrong.message, !Contains("battery staple"));
    auto nobody = s.login("");
    nobody.username.clear();
    const auto missing = s.fetch_error(nobody, s.url());
    CHECK(missing.code == errc::unprocessable);
    CHECK_THAT(missing.message, Contains("secretRef"));
}

TEST_CASE("a repository that is not there is a permanent error") {
    git_https s;
    const auto e = s.fetch_error(s.login(), s.url("nowhere.git"));
    CHECK(e.code == errc::unprocessable);
    CHECK_THAT(e.message, Contains("/nowhere.git") && Contains("404"));
}

TEST_CASE("a server whose certificate is not trusted is a permanent error that names the host") {
    git_https s;
    auto login = s.login();
    login.tls = nullptr;
    const auto e = s.fetch_error(login, s.url());
    CHECK(e.code == errc::unprocessable);
    CHECK_THAT(e.message, Contains("127.0.0.1"));
}

TEST_CASE("a password in the URL and URLs that lead nowhere are refused without repeating them") {
    git_https s;
    const auto with_password = s.refusal("https://flux:hunter2@127.0.0.1/fleet.git");
    CHECK_THAT(with_password, Contains("Secret") && !Contains("hunter2"));
    CHECK_THAT(s.refusal("https://127.0.0.1"), Contains("no path"));
    CHECK_THAT(s.refusal("https://127.0.0.1/a?b=c"), Contains("query"));
    CHECK_THAT(s.refusal("git@example.com:org/fleet"), Contains("https://"));
}

TEST_CASE("a redirect is followed on the same host only, and the login goes nowhere else") {
    git_https s;
    std::filesystem::create_directory(s.folder / "moved");
    std::filesystem::rename(s.origin.bare(), s.folder / "moved" / "origin.git");
    s.fault(fmt::format("redirect:{}/moved GET /origin.git", s.server->url()));
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    const auto pushed = repository->push({{branch, "", p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::done);
    CHECK_THAT(s.requests(4), Contains("/moved/origin.git/git-receive-pack"));

    git_https other;
    s.fault(fmt::format("redirect:{} GET /origin.git", other.server->url()));
    const auto e = s.fetch_error(s.login(), s.url());
    CHECK(e.code == errc::unprocessable);
    CHECK_THAT(e.message, Contains("another server"));
    CHECK(!std::filesystem::exists(other.folder / "requests"));
}

TEST_CASE("a sign-in page instead of git is a clear, permanent error") {
    git_https s;
    s.fault("html-sign-in");
    const auto e = s.fetch_error(s.login(), s.url());
    CHECK(e.code == errc::unprocessable);
    CHECK_THAT(e.message, Contains("web page"));
}

TEST_CASE("an unwell server is asked again later, at the time it says") {
    git_https s;
    s.fault("status:500");
    CHECK(s.fetch_error(s.login(), s.url()).code == errc::unavailable);
    s.fault("status:503");
    auto e = s.fetch_error(s.login(), s.url());
    CHECK(e.code == errc::unavailable);
    CHECK(e.retry_after == std::chrono::seconds{1});
    s.fault("status:429");
    e = s.fetch_error(s.login(), s.url());
    CHECK(e.code == errc::too_many_requests);
    CHECK(e.retry_after == std::chrono::seconds{1});
    s.fault("status:403");
    e = s.fetch_error(s.login(), s.url());
    CHECK(e.code == errc::unprocessable);
    CHECK_THAT(e.message, Contains("read"));
    s.fault("");
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    s.fault("status:403 receive-pack");
    const auto refused = repository->push({{branch, "", p.commit}});
    REQUIRE(!refused.has_value());
    CHECK(refused.error().code == errc::unprocessable);
    CHECK_THAT(refused.error().message, Contains("write"));
}

TEST_CASE("a push too large for the server is tried branch by branch") {
    git_https s;
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    s.fault("status:413:2 receive-pack");
    const auto pushed = repository->push({{"one", "", p.commit}, {"two", "", p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::refused);
    CHECK_THAT(pushed->at(0).message, Contains("413"));
    CHECK(pushed->at(1).result == ref_result::done);
}
