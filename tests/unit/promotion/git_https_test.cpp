#include "tests/unit/promotion/git_https_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using Catch::Matchers::Contains;
using promotion::git::ref_result;

namespace {

const std::string branch = "promotion-default-podinfo-prod";

ref_result push_one(promotion::git::repository& r, std::string expected, std::string target) {
    auto out = r.push({{branch, std::move(expected), std::move(target)}});
    if (!out) throw std::runtime_error(out.error().message);
    return out->at(0).result;
}

std::size_t count(std::string_view text, std::string_view part) {
    std::size_t n = 0;
    for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++n;
    return n;
}

void hook(const git_https& s, std::string_view name, std::string_view script) {
    const auto file = s.origin.bare() / "hooks" / name;
    std::ofstream{file} << "#!/bin/sh\n" << script;
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
}

} // namespace

TEST_CASE(
    "a promotion over HTTPS with a private CA needs three requests and leaves the right branch"
) {
    git_https s;
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    CHECK(push_one(*repository, "", p.commit) == ref_result::done);
    CHECK(s.origin.tip(branch) == p.commit);
    CHECK(s.origin.show(branch, "prod/podinfo.yaml") == manifest("6.1.8"));
    s.origin.remote_git("fsck --full --strict");
    CHECK(count(s.requests(3), "\n") == 3); // info/refs, upload-pack, receive-pack
    const auto again = prepare(*repository, "6.1.9");
    CHECK(push_one(*repository, p.commit, again.commit) == ref_result::done);
    CHECK(count(s.requests(5), "\n") == 5); // nothing was new
    CHECK(push_one(*repository, again.commit, "") == ref_result::done);
    CHECK(s.origin.tip(branch).empty());
}

TEST_CASE("a large history is fetched once, and afterwards only what is new") {
    git_https s;
    std::string noise;
    for (int i = 0; i < 400'000; ++i) noise += fmt::format("{:x} ", i * 2'654'435'761LL);
    s.origin.write("noise.bin", noise);
    s.origin.commit("noise");
    auto repository = s.open();
    const auto first = prepare(*repository, "6.1.8");
    s.origin.write("README.md", "more\n");
    const auto tip = s.origin.commit("more");
    const auto second = prepare(*repository, "6.1.8");
    CHECK(second.base == tip);
    CHECK(repository->contains(second.base, first.base).value());
    const auto log = s.requests(4);
    const auto last = nlohmann::json::parse(log.substr(log.rfind("{\"method\"")));
    CHECK(last.at("path") == "/origin.git/git-upload-pack");
    CHECK(last.at("bytesOut").get<int>() < 2'000);
}

TEST_CASE("a bearer token opens the repository too") {
    git_https s;
    auto login = s.login("");
    login.username.clear();
    login.bearer = secret_string{"bearer-token"};
    auto repository = s.git_machine::open(s.url(), login);
    CHECK(repository->fetch({"main"}).has_value());
    CHECK(count(s.requests(2), "\"authorization\": \"Bearer\"") == 2);
}

TEST_CASE("a repository without TLS works") {
    git_https s{false};
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    CHECK(push_one(*repository, "", p.commit) == ref_result::done);
}

TEST_CASE("a silent server ends in a time-out, at every request") {
    git_https s;
    s.env.transfer_limit = std::chrono::milliseconds{700};
    const auto begin = std::chrono::steady_clock::now();
    for (const auto* part : {"info/refs", "/git-upload-pack"}) {
        s.fault(fmt::format("silent {}", part));
        const auto e = s.fetch_error(s.login(), s.url());
        INFO(e.message);
        CHECK(e.code == errc::timed_out);
    }
    s.fault("");
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    s.fault("silent receive-pack");
    const auto pushed = repository->push({{branch, "", p.commit}});
    REQUIRE(!pushed.has_value());
    CHECK(pushed.error().code == errc::timed_out);
    CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds{20});
    s.fault("");
    CHECK(push_one(*repository, "", p.commit) == ref_result::done);
}

TEST_CASE("a connection cut in the middle of a pack leaves nothing behind and works the next time"
) {
    git_https s;
    std::string noise;
    for (int i = 0; i < 100'000; ++i) noise += fmt::format("{:x} ", i * 2'654'435'761LL);
    s.origin.write("noise.bin", noise);
    s.origin.commit("noise");
    s.fault("cut-pack:200000 /git-upload-pack");
    auto repository = s.open();
    const auto cut = repository->fetch({"main"});
    REQUIRE(!cut.has_value());
    CHECK(cut.error().code == errc::unavailable);
    const auto packs = [&] {
        return sh(fmt::format("find '{}' -path '*objects/pack/*'", s.env.caches.string()));
    };
    CHECK(packs().empty());
    s.fault("");
    CHECK(repository->fetch({"main"}).has_value());
    CHECK(!packs().empty());
}

TEST_CASE("a push that was cut or whose answer was lost can be repeated") {
    git_https s;
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    s.fault("cut-push:100 receive-pack");
    const auto cut = repository->push({{branch, "", p.commit}});
    REQUIRE(!cut.has_value());
    CHECK(cut.error().code == errc::unavailable);
    CHECK(s.origin.tip(branch).empty());
    s.fault("lose-answer receive-pack");
    const auto lost = repository->push({{branch, "", p.commit}});
    REQUIRE(!lost.has_value());
    CHECK(lost.error().code == errc::unavailable);
    CHECK(s.origin.tip(branch) == p.commit);
    s.fault("");
    CHECK(push_one(*repository, "", p.commit) == ref_result::done);
}

TEST_CASE(
    "a base that moved between fetch and push is told, and the replay on the new base goes through"
) {
    git_https s;
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    s.origin.write("README.md", "meanwhile\n");
    const auto theirs = s.origin.commit("meanwhile");
    auto pushed = repository->push({{"main", p.base, p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::moved);
    CHECK_THAT(pushed->at(0).message, Contains(theirs));
    CHECK(s.origin.tip("main") == theirs);
    const auto again = prepare(*repository, "6.1.8");
    pushed = repository->push({{"main", again.base, again.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::done);
    CHECK(s.origin.show("main", "README.md") == "meanwhile\n");
}

TEST_CASE("a protected branch is refused alone, with what the server says") {
    git_https s;
    hook(
        s, "update", "[ \"$1\" != refs/heads/guarded ] || { echo 'only by review' >&2; exit 1; }\n"
    );
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    const auto pushed =
        repository->push({{"one", "", p.commit}, {"guarded", "", p.commit}, {"two", "", p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::done);
    CHECK(pushed->at(1).result == ref_result::refused);
    CHECK_THAT(pushed->at(1).message, Contains("hook declined") && Contains("only by review"));
    CHECK(pushed->at(2).result == ref_result::done);
    CHECK(s.origin.tip("guarded").empty());
}

TEST_CASE("when the server refuses a whole push for the sake of one branch, the others still arrive"
) {
    git_https s;
    hook(
        s, "pre-receive", "while read old new ref; do [ $ref != refs/heads/bad ] || exit 1; done\n"
    );
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    const auto pushed =
        repository->push({{"one", "", p.commit}, {"bad", "", p.commit}, {"two", "", p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::done);
    CHECK(pushed->at(1).result == ref_result::refused);
    CHECK(pushed->at(2).result == ref_result::done);
    CHECK(s.origin.tip("one") == p.commit);
    CHECK(s.origin.tip("bad").empty());
}

TEST_CASE("when the loop stops, whoever waits for the network does not wait for ever") {
    git_https s;
    s.fault("silent");
    auto repository = s.open();
    std::thread stopper{[&] {
        while (s.loop.stopped()) std::this_thread::yield();
        boost::asio::post(s.loop, [&] { s.stop_loop(); });
    }};
    const auto tips = repository->fetch({"main"});
    stopper.join();
    REQUIRE(!tips.has_value());
    CHECK(tips.error().code == errc::unavailable);
}
