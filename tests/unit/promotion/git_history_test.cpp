#include "tests/unit/promotion/git_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using promotion::git::author;

namespace {

struct fleet : git_machine {
    git_origin origin{folder};
    std::string first;
    std::string second;
    std::unique_ptr<promotion::git::repository> repository;

    fleet() {
        origin.write("prod/podinfo.yaml", manifest("6.1.0"));
        first = origin.commit("first");
        origin.write("README.md", "more\n");
        second = origin.commit("second");
        repository = open(origin.url());
    }
    bool only_by(const std::string& tip, std::vector<author> authors) {
        const auto out = repository->only_by(tip, second, authors);
        if (!out) throw std::runtime_error(out.error().message);
        return *out;
    }
};

const author weave{"Promotion Server", ""};

} // namespace

TEST_CASE("whether a commit is contained in a branch is answered from the cache") {
    fleet f;
    REQUIRE(f.repository->fetch({"main"}).has_value());
    const auto contains = [&](const std::string& tip, const std::string& commit) {
        return f.repository->contains(tip, commit).value();
    };
    CHECK(contains(f.second, f.first));
    CHECK(contains(f.second, f.second));
    CHECK(!contains(f.first, f.second));
    CHECK(!contains(f.second, std::string(40, 'a')));
    CHECK(!contains(std::string(40, 'a'), f.second));
    CHECK(!contains(f.second, ""));
}

TEST_CASE("of promotions on one base the merged one is found and the others are not") {
    fleet f;
    const auto one = prepare(*f.repository, "6.1.8");
    const auto other = prepare_on(*f.repository, one.base, "6.1.9");
    REQUIRE(f.repository->push({{"one", "", one.commit}, {"other", "", other.commit}}).has_value());
    const auto contains = [&](const std::string& commit) {
        const auto tips = f.repository->fetch({"main", "one", "other"});
        return f.repository->contains(tips->at("main"), commit).value();
    };
    CHECK(!contains(one.commit));
    f.origin.git("fetch -q origin");
    f.origin.git("merge -q --no-ff -m merged origin/one");
    f.origin.commit("and more");
    CHECK(contains(one.commit));
    CHECK(!contains(other.commit));
    CHECK(contains(f.first));

    f.origin.git("reset -q --hard " + f.first); // history that is written anew
    f.origin.git("push -q -f origin main");
    CHECK(!contains(one.commit));
    CHECK(!contains(f.second));
    CHECK(contains(f.first));
}

TEST_CASE("a branch is ours while all its commits beyond the base are, author and committer") {
    fleet f;
    const auto p = prepare(*f.repository, "6.1.8");
    CHECK(f.only_by(p.commit, {sluice_author}));
    CHECK(f.only_by(p.commit, {weave, sluice_author}));
    CHECK(!f.only_by(p.commit, {weave}));
    CHECK(f.only_by(f.second, {})); // nothing beyond the base
    CHECK(!f.only_by(std::string(40, 'b'), {sluice_author}));

    REQUIRE(f.repository->push({{"branch", "", p.commit}}).has_value());
    f.origin.git("fetch -q origin branch");
    f.origin.git("checkout -q FETCH_HEAD");
    f.origin.git("commit -q --amend --no-edit"); // keeps the author
    f.origin.git("push -q -f origin HEAD:branch");
    const auto amended = f.repository->fetch({"branch"});
    REQUIRE(amended.has_value());
    CHECK(!f.only_by(amended->at("branch"), {sluice_author}));

    f.origin.git("-c user.name=x commit -q --allow-empty -m more");
    f.origin.git("push -q -f origin HEAD:branch");
    const auto more = f.repository->fetch({"branch"});
    REQUIRE(more.has_value());
    CHECK(!f.only_by(more->at("branch"), {sluice_author}));
}

TEST_CASE("commits of Weave's server, with its empty e-mail, are recognised") {
    fleet f;
    const auto commit = sh(fmt::format(
        "GIT_AUTHOR_NAME='Promotion Server' GIT_COMMITTER_NAME='Promotion Server' "
        "GIT_AUTHOR_EMAIL= "
        "GIT_COMMITTER_EMAIL= git -C '{}' commit-tree main^{{tree}} -p main -m 'promoting version'",
        f.origin.bare().string()
    ));
    f.origin.remote_git("branch weave " + commit);
    REQUIRE(f.repository->fetch({"main", "weave"}).has_value());
    CHECK(f.only_by(commit, {weave}));
    CHECK(!f.only_by(commit, {sluice_author}));
}

TEST_CASE("the diff is the one a person expects, and never longer than asked") {
    fleet f;
    const auto p = prepare(*f.repository, "6.1.8");
    const auto whole = f.repository->diff(p.base, p.tree.tree, 10'000);
    REQUIRE(whole.has_value());
    CHECK(
        whole->find("--- a/prod/podinfo.yaml\n+++ b/prod/podinfo.yaml\n@@ -1,2 +1,2 @@\n spec:\n-  "
                    "version: 6.1.0 ") != std::string::npos
    );
    CHECK(whole->find("\n+  version: 6.1.8 ") != std::string::npos);
    CHECK(f.repository->diff(p.base, p.commit, 10'000).value() == *whole);
    for (const std::size_t limit : {0U, 10U, 40U, 100U, 150U}) {
        const auto cut = f.repository->diff(p.base, p.commit, limit);
        REQUIRE(cut.has_value());
        CHECK(cut->size() <= limit);
        CHECK((cut->empty() || cut->ends_with("left out)\n")));
    }
    CHECK(f.repository->diff(p.base, p.base, 100).value().empty());
}
