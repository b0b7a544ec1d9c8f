#include "promotion/git/marker_file.hpp"
#include "tests/unit/promotion/git_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

namespace {

namespace fs = std::filesystem;

struct fleet : git_machine {
    git_origin origin{folder};

    fleet() {
        origin.write("prod/podinfo.yaml", manifest("6.1.0"));
        origin.write("prod/other.yaml", manifest("1.0.0", "default:other:prod"));
        origin.write("dev/podinfo.yaml", manifest("6.1.8", "default:podinfo:dev"));
        origin.write("dev/plain.yaml", "a: 1\n");
        origin.commit("first");
    }
    // As after a restart, so that what is on the disk counts.
    prepared promote(const promotion::promotion_key& key = podinfo_prod) {
        env.warm = promotion::git::make_warm_caches();
        return prepare(*open(origin.url()), "6.1.8", key);
    }
    fs::path index() {
        return env.caches / promotion::git::remote{origin.url(), {}}.key() / "markers";
    }
};

} // namespace

TEST_CASE("an unchanged manifest is read once, across restarts, moves and promotions of others") {
    fleet f;
    CHECK(f.promote().tree.places.size() == 1);
    CHECK(f.manifests_read() == 4);
    CHECK(f.promote().tree.places.size() == 1);
    CHECK(f.promote({{"default", "other"}, "prod"}).tree.places.size() == 1);
    CHECK(f.promote({{"default", "podinfo"}, "dev"}).tree.places.size() == 1);
    CHECK(f.promote({{"default", "nobody"}, "dev"}).tree.places.empty());
    CHECK(f.manifests_read() == 4);
    f.origin.git("mv dev staging");
    f.origin.write("staging/new.yaml", manifest("6.1.1"));
    f.origin.commit("moved");
    CHECK(f.promote().tree.places.size() == 2);
    CHECK(f.manifests_read() == 5);
}

TEST_CASE("a marker that was added to a known file is found") {
    fleet f;
    CHECK(f.promote().tree.places.size() == 1);
    f.origin.write("dev/plain.yaml", manifest("6.1.0"));
    f.origin.commit("marked");
    CHECK(f.promote().tree.places.size() == 2);
    f.origin.write("dev/plain.yaml", "a: 1\n");
    f.origin.commit("as before");
    CHECK(f.promote().tree.places.size() == 1);
}

TEST_CASE("a damaged marker index is not believed, and what was whole in it is kept") {
    fleet f;
    f.promote();
    const auto whole = fs::file_size(f.index());
    f.origin.write("prod/third.yaml", manifest("6.1.1"));
    f.origin.commit("third");
    f.promote();
    REQUIRE(f.manifests_read() == 5);
    SECTION("cut off in its last frame") {
        fs::resize_file(f.index(), fs::file_size(f.index()) - 3);
        CHECK(f.promote().tree.places.size() == 2);
        CHECK(f.manifests_read() == 6);
    }
    SECTION("a byte of its last frame changed") {
        std::fstream file{f.index(), std::ios::in | std::ios::out | std::ios::binary};
        file.seekp(static_cast<std::streamoff>(whole) + 30);
        file.put('!');
        file.close();
        CHECK(f.promote().tree.places.size() == 2);
        CHECK(f.manifests_read() == 6);
    }
    SECTION("another file in its place") {
        std::ofstream{f.index()} << "not an index at all, and longer than any head of a frame";
        CHECK(f.promote().tree.places.size() == 2);
        CHECK(f.manifests_read() == 10);
    }
    SECTION("a folder in its place") {
        fs::remove(f.index());
        fs::create_directory(f.index());
        CHECK(f.promote().tree.places.size() == 2);
        return;
    }
    const auto read = f.manifests_read();
    CHECK(f.promote().tree.places.size() == 2); // and it works again
    CHECK(f.manifests_read() == read);
}

TEST_CASE("a folder that speaks about very many promotions is looked into, not listed") {
    promotion::git::indexed folder;
    for (promotion::git::key_number key = 0; key < 256; ++key) {
        promotion::git::indexed file;
        file.keys.push_back(key * 2);
        folder.include(file);
        folder.include(file);
    }
    CHECK(folder.keys.size() == 256);
    CHECK(folder.may_hold(510));
    CHECK(!folder.may_hold(511));
    promotion::git::indexed one_more;
    one_more.keys.push_back(512);
    folder.include(one_more);
    CHECK(folder.keys.empty());
    CHECK(folder.may_hold(511));
    promotion::git::indexed parent;
    parent.include(folder);
    CHECK(parent.may_hold(1));
}

TEST_CASE("twenty thousand files are read once: not for the next promotion, not after a restart") {
    git_machine m;
    const git_origin origin{m.folder};
    {
        std::ofstream stream{m.folder / "import"};
        stream << "commit refs/heads/main\ncommitter Ada <ada@example.com> 1767225600 +0000\ndata "
                  "5\nfirst\n";
        for (int i = 0; i < 20'000; ++i) {
            const auto text = manifest(
                "1.0.0", i == 77 ? "default:podinfo:prod" : fmt::format("default:app{}:prod", i)
            );
            stream << fmt::format(
                "M 644 inline apps/{}/{}/release.yaml\ndata {}\n{}\n", i / 100, i, text.size(), text
            );
        }
    }
    origin.remote_git(fmt::format("fast-import --quiet < '{}'", (m.folder / "import").string()));
    auto repository = m.open(origin.url());
    const auto tips = repository->fetch({"main"});
    REQUIRE(tips.has_value());
    const auto patch = [&] {
        const auto out = repository->patch(tips->at("main"), podinfo_prod, revision("6.1.8"), {});
        REQUIRE(out.has_value());
        CHECK(out->places.size() == 1);
    };
    patch();
    CHECK(m.manifests_read() == 20'000);
    patch();
    CHECK(m.manifests_read() == 20'000);
    repository.reset();
    m.env.warm = nullptr;
    repository = m.open(origin.url());
    patch();
    CHECK(m.manifests_read() == 20'000);
}
