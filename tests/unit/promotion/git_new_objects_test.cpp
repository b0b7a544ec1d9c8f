#include "promotion/git/library.hpp"
#include "promotion/git/new_objects.hpp"
#include "tests/unit/promotion/git_fixture.hpp"

#include <set>
#include <sstream>

using namespace sluice;
using namespace sluice::promotion::git;
using namespace sluice::tests;

namespace {

git_oid id_of(const std::string& text) {
    git_oid id;
    REQUIRE(parse_id(text, id));
    return id;
}

repository_ptr opened(const git_origin& origin) {
    start_library();
    repository_ptr made;
    REQUIRE(open_into(made, git_repository_open_bare, origin.bare().c_str()) == 0);
    return made;
}

std::set<std::string> words(const std::string& text) {
    std::istringstream in{text};
    return {std::istream_iterator<std::string>{in}, {}};
}

// What the object names: a commit its folder, a folder what is in it.
std::set<std::string> named_by(const git_origin& origin, const std::string& id) {
    const auto type = origin.remote_git("cat-file -t " + id);
    if (type == "blob") return {};
    if (type == "commit") return {origin.remote_git(fmt::format("rev-parse {}^{{tree}}", id))};
    return words(origin.remote_git(fmt::format("ls-tree --object-only {}", id)));
}

} // namespace

TEST_CASE("a cache that was cut off while it was written has no commit whose files are missing") {
    temp_folder folder;
    git_origin origin{folder};
    origin.write("a/b/one.yaml", "one\n");
    origin.write("c/other.yaml", "stays\n");
    const auto base = origin.commit("base");
    origin.write("a/b/one.yaml", "shared\n");
    const auto first = origin.commit("first");
    origin.write("c/two.yaml", "shared\n");
    const auto second = origin.commit("second");

    const auto repository = opened(origin);
    const std::vector<git_oid> targets{id_of(second)};
    const std::vector<git_oid> known{id_of(base)};
    const auto found = new_objects(repository.get(), targets, known);
    REQUIRE(found.has_value());
    auto there = words(origin.remote_git(fmt::format("rev-list --objects {} | cut -c1-40", base)));
    for (const auto& id : *found) {
        const auto text = to_text(id);
        CAPTURE(text);
        for (const auto& needed : named_by(origin, text)) CHECK(there.contains(needed));
        there.insert(text);
    }
    CHECK(there.contains(first));
    CHECK(there.contains(second));
    CHECK(to_text(found->back()) == second);
}

TEST_CASE("a push never sends a whole history because the tips of the remote were not known") {
    temp_folder folder;
    git_origin origin{folder};
    constexpr int long_history = 5'001;
    std::string stream;
    for (int i = 0; i < long_history; ++i)
        stream += fmt::format(
            "commit refs/heads/main\ncommitter Ada <ada@example.com> {} +0000\ndata 1\nx\n",
            1'700'000'000 + i
        );
    folder.write("history", stream);
    sh(fmt::format(
        "git -C '{}' fast-import --quiet < '{}'",
        origin.bare().string(),
        (folder / "history").string()
    ));
    const auto repository = opened(origin);
    const std::vector<git_oid> targets{id_of(origin.tip("main"))};
    const auto all = new_objects(repository.get(), targets, {});
    REQUIRE(!all.has_value());
    CHECK(all.error().code == errc::unavailable);
    const std::vector<git_oid> known{id_of(origin.remote_git("rev-parse main~2"))};
    CHECK(new_objects(repository.get(), targets, known).value().size() == 2);
}
