#include "tests/unit/promotion/git_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;
using promotion::git::ref_result;

namespace {

const std::string branch = "promotion-default-podinfo-prod";

struct fleet : git_machine {
    git_origin origin{folder};

    fleet() {
        origin.write("prod/podinfo.yaml", manifest("6.1.0"));
        origin.write("README.md", "fleet\n");
        origin.commit("first");
    }
    std::unique_ptr<promotion::git::repository> open() { return git_machine::open(origin.url()); }
};

ref_result push_one(promotion::git::repository& r, std::string expected, std::string target) {
    auto out = r.push({{branch, std::move(expected), std::move(target)}});
    if (!out) throw std::runtime_error(out.error().message);
    return out->at(0).result;
}

} // namespace

TEST_CASE("a promotion into a local repository changes one scalar and nothing else") {
    fleet f;
    auto repository = f.open();
    const auto p = prepare(*repository, "6.1.8");
    REQUIRE(p.tree.places.size() == 1);
    CHECK(p.tree.places.front().text == "6.1.0");
    CHECK(
        p.tree.changes ==
        std::vector<promotion::git::file_change>{{"prod/podinfo.yaml", 2, "6.1.0", "6.1.8"}}
    );
    CHECK(push_one(*repository, "", p.commit) == ref_result::done);
    CHECK(f.origin.tip(branch) == p.commit);
    CHECK(
        f.origin.remote_git("diff --stat main " + branch)
            .find("1 file changed, 1 insertion(+), 1 deletion(-)") != std::string::npos
    );
    CHECK(f.origin.show(branch, "prod/podinfo.yaml") == manifest("6.1.8"));
    f.origin.remote_git("fsck --full --strict");
}

TEST_CASE("what somebody commits and packs between two promotions is found by the second") {
    fleet f;
    auto repository = f.open();
    const auto first = prepare(*repository, "6.1.8");
    REQUIRE(push_one(*repository, "", first.commit) == ref_result::done);
    f.origin.write("prod/podinfo.yaml", manifest("6.1.5"));
    f.origin.commit("by hand");
    f.origin.remote_git("repack -q -a -d"); // the loose objects are gone, the pack is new
    const auto second = prepare(*repository, "6.1.9");
    CHECK(second.base == f.origin.tip("main"));
    CHECK(second.tree.places.front().text == "6.1.5");
    CHECK(push_one(*repository, first.commit, second.commit) == ref_result::done);
    f.origin.remote_git("fsck --full --strict");
}

TEST_CASE("the same promotion makes the same commit on every machine, the one git itself would make"
) {
    fleet f;
    const auto here = prepare(*f.open(), "6.1.8");
    f.env.caches = f.folder / "another-state";
    auto second = f.open();
    const auto there = prepare(*second, "6.1.8");
    CHECK(here.commit == there.commit);
    REQUIRE(push_one(*second, "", there.commit) == ref_result::done);
    CHECK(
        f.origin.remote_git(fmt::format(
            "log -1 '--format=%an <%ae> %cn <%ce> %ad %cd|%B' --date=raw {}", there.commit
        )) == "Sluice <sluice@example.com> Sluice <sluice@example.com> 1767225600 +0000 1767225600 "
              "+0000|Promote podinfo to 6.1.8"
    );
    const auto by_git = f.origin.remote_git(fmt::format(
        "-c user.name=Sluice -c user.email=sluice@example.com commit-tree {} -p {} -m 'Promote "
        "podinfo to 6.1.8'",
        there.tree.tree,
        there.base
    ));
    // Only the author and the date differ: both are given by the environment.
    const auto exact = sh(fmt::format(
        "GIT_AUTHOR_NAME=Sluice GIT_AUTHOR_EMAIL=sluice@example.com GIT_COMMITTER_NAME=Sluice "
        "GIT_COMMITTER_EMAIL=sluice@example.com GIT_AUTHOR_DATE='1767225600 +0000' "
        "GIT_COMMITTER_DATE='1767225600 +0000' git -C '{}' commit-tree {} -p {} -m 'Promote "
        "podinfo to 6.1.8'",
        f.origin.bare().string(),
        there.tree.tree,
        there.base
    ));
    CHECK(exact == there.commit);
    CHECK(by_git != there.commit);
}

TEST_CASE("a manifest that already says it gives the same tree, so there is nothing to push") {
    fleet f;
    const auto p = prepare(*f.open(), "6.1.0");
    CHECK(p.tree.tree == f.origin.remote_git("rev-parse main^{tree}"));
    CHECK(p.tree.changes.empty());
    CHECK(p.tree.places.size() == 1);
    CHECK(p.tree.places.front().text == "6.1.0");
}

TEST_CASE("a branch somebody moved is never overwritten") {
    fleet f;
    auto repository = f.open();
    const auto p = prepare(*repository, "6.1.8");
    f.origin.write("NOTES.md", "mine\n");
    const auto theirs = f.origin.commit("a commit of a person", branch);
    CHECK(push_one(*repository, "", p.commit) == ref_result::moved);
    CHECK(push_one(*repository, p.base, p.commit) == ref_result::moved);
    CHECK(f.origin.tip(branch) == theirs);
    CHECK(push_one(*repository, theirs, p.commit) == ref_result::done);
    CHECK(f.origin.tip(branch) == p.commit);
}

TEST_CASE("a push whose commit is already there is done, whoever was faster") {
    fleet f;
    auto repository = f.open();
    const auto p = prepare(*repository, "6.1.8");
    REQUIRE(push_one(*repository, "", p.commit) == ref_result::done);
    CHECK(push_one(*repository, "", p.commit) == ref_result::done);
}

TEST_CASE(
    "a branch is deleted only at the tip it is expected to have, and deleting it twice is done"
) {
    fleet f;
    auto repository = f.open();
    const auto p = prepare(*repository, "6.1.8");
    REQUIRE(push_one(*repository, "", p.commit) == ref_result::done);
    CHECK(push_one(*repository, p.base, "") == ref_result::moved);
    CHECK(f.origin.tip(branch) == p.commit);
    CHECK(push_one(*repository, p.commit, "") == ref_result::done);
    CHECK(f.origin.tip(branch).empty());
    CHECK(push_one(*repository, p.commit, "") == ref_result::done);
}

TEST_CASE("one push carries many branches, and each has its own outcome") {
    fleet f;
    for (int i = 0; i < 50; ++i)
        f.origin.write(
            fmt::format("apps/{}.yaml", i), manifest("1.0.0", fmt::format("default:app{}:prod", i))
        );
    f.origin.commit("fifty apps");
    auto repository = f.open();
    std::vector<promotion::git::ref_update> updates;
    for (int i = 0; i < 50; ++i) {
        const auto p =
            prepare(*repository, "2.0.0", {{"default", fmt::format("app{}", i)}, "prod"});
        updates.push_back({fmt::format("promotion-default-app{}-prod", i), "", p.commit});
    }
    f.origin.git("push -q origin HEAD:refs/heads/promotion-default-app7-prod");
    const auto pushed = repository->push(updates);
    REQUIRE(pushed.has_value());
    for (std::size_t i = 0; i < 50; ++i) {
        INFO(i);
        CHECK((*pushed)[i].branch == updates[i].branch);
        CHECK((*pushed)[i].result == (i == 7 ? ref_result::moved : ref_result::done));
        CHECK((f.origin.tip(updates[i].branch) == updates[i].target) == (i != 7));
    }
}

TEST_CASE("only branches that exist are told, and one that is gone is forgotten") {
    fleet f;
    auto repository = f.open();
    const auto p = prepare(*repository, "6.1.8");
    REQUIRE(push_one(*repository, "", p.commit) == ref_result::done);
    auto tips = repository->fetch({"main", branch, "never-was"});
    REQUIRE(tips.has_value());
    CHECK(*tips == std::map<std::string, std::string>{{"main", p.base}, {branch, p.commit}});
    f.origin.remote_git("branch -D " + branch);
    tips = repository->fetch({"main", branch});
    REQUIRE(tips.has_value());
    CHECK(*tips == std::map<std::string, std::string>{{"main", p.base}});
    tips = repository->fetch({"not a branch"});
    REQUIRE(!tips.has_value());
    CHECK(tips.error().code == errc::unprocessable);
}

TEST_CASE("a branch that gives way to a folder of branches does not stop the fetch") {
    fleet f;
    auto repository = f.open();
    f.origin.git("push -q origin HEAD:refs/heads/release");
    REQUIRE(repository->fetch({"main", "release"}).has_value());
    f.origin.git("push -q origin :refs/heads/release");
    f.origin.git("push -q origin HEAD:refs/heads/release/1");
    const auto tips = repository->fetch({"main", "release/1"});
    REQUIRE(tips.has_value());
    CHECK(tips->contains("release/1"));
}

TEST_CASE("the branch a person has checked out is refused with the remedy") {
    git_machine m;
    const git_origin origin{m.folder};
    origin.write("prod/podinfo.yaml", manifest("6.1.0"));
    origin.commit("first");
    auto repository = m.open("file://" + origin.work().string());
    const auto p = prepare(*repository, "6.1.8");
    const auto pushed = repository->push({{"main", p.base, p.commit}, {branch, "", p.commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == ref_result::refused);
    CHECK(pushed->at(0).message.find("git clone --bare") != std::string::npos);
    CHECK(pushed->at(1).result == ref_result::done);
}

TEST_CASE("a local repository is opened only below the allowed folder, links resolved") {
    fleet f;
    temp_folder elsewhere;
    const git_origin outside{elsewhere};
    const auto told = [](const std::string& message) {
        return message.find("--local-repositories") != std::string::npos;
    };
    CHECK(told(f.refusal(outside.url())));
    CHECK(told(f.refusal(
        "file://" + f.folder.path().string() + "/../" + elsewhere.path().filename().string() +
        "/origin.git"
    )));
    std::filesystem::create_directory_symlink(outside.bare(), f.folder / "link.git");
    CHECK(told(f.refusal("file://" + (f.folder / "link.git").string())));
    CHECK(told(f.refusal("file://" + (f.folder / "nowhere.git").string())));
    CHECK(f.refusal("file://relative/path").find("three slashes") != std::string::npos);
    std::filesystem::create_directory_symlink(f.origin.bare(), f.folder / "inside.git");
    CHECK(f.refusal("file://" + (f.folder / "inside.git").string()).empty());
    f.env.local_repositories.clear();
    CHECK(told(f.refusal(f.origin.url())));
}

TEST_CASE("a folder without a repository is a permanent error that says how to make one") {
    git_machine m;
    std::filesystem::create_directory(m.folder / "empty");
    const auto out =
        promotion::git::repository::open(m.env, {"file://" + (m.folder / "empty").string(), {}});
    REQUIRE(!out.has_value());
    CHECK(out.error().code == errc::unprocessable);
    CHECK(out.error().message.find("git init --bare") != std::string::npos);
}
