#include "tests/unit/promotion/git_https_fixture.hpp"

using namespace sluice;
using namespace sluice::tests;

namespace {

namespace fs = std::filesystem;

fs::path cache_folder(const git_https& s) {
    return s.env.caches / promotion::git::remote{s.url(), s.login()}.key();
}
fs::path objects(const git_https& s) {
    return cache_folder(s) / "repository" / "objects";
}
void overwrite(const fs::path& file, std::string_view text) {
    fs::permissions(file, fs::perms::owner_all);
    std::ofstream{file, std::ios::binary | std::ios::trunc} << text;
}
std::vector<fs::path> packs(const git_https& s) {
    std::vector<fs::path> out;
    for (const auto& entry : fs::directory_iterator{objects(s) / "pack"})
        if (entry.path().extension() == ".pack") out.push_back(entry.path());
    return out;
}

} // namespace

TEST_CASE("the cache is named by URL and credential and says neither") {
    git_https s;
    const auto key = [&](const std::string& url, promotion::git::login login) {
        return promotion::git::remote{url, std::move(login)}.key();
    };
    const auto one = key(s.url(), s.login());
    CHECK(one == key(s.url(), s.login()));
    CHECK(one != key(s.url("other.git"), s.login()));
    CHECK(one != key(s.url(), s.login("another")));
    auto renewed = s.login("first token");
    renewed.identity = "app 1 installation 2";
    const auto app = key(s.url(), renewed);
    renewed.password = secret_string{"second token"};
    CHECK(app == key(s.url(), renewed));
    renewed.identity = "app 1 installation 3";
    CHECK(app != key(s.url(), renewed));
    CHECK(one.find_first_not_of("0123456789abcdef") == std::string::npos);
}

TEST_CASE("what a killed process left half-written is removed when the cache is opened") {
    git_https s;
    s.env.warm = nullptr; // as after a restart
    REQUIRE(s.open()->fetch({"main"}).has_value());
    const std::vector<fs::path> leftovers{
        objects(s) / "pack" / "tmp_pack_Ab12Cd",
        objects(s) / "pack" / "pack_git2_0123456789abcdef",
        objects(s) / "tmp_object_git2_0123456789abcdef",
        objects(s).parent_path() / "refs" / "cache" / "main.lock",
        objects(s).parent_path() / "packed-refs.lock",
    };
    for (const auto& file : leftovers) std::ofstream{file} << "half";
    {
        auto first = s.open();
        for (const auto& file : leftovers) CHECK(!fs::exists(file));
        s.origin.commit("moves the branch under the lock that was left");
        CHECK(first->fetch({"main"}).has_value());
        // While someone is at work here, such a file is theirs.
        std::ofstream{leftovers.front()} << "half";
        const auto second = s.open();
        CHECK(fs::exists(leftovers.front()));
    }
    const auto third = s.open();
    CHECK(!fs::exists(leftovers.front()));
}

TEST_CASE("a cache that is broken when it is opened is built again") {
    git_https s;
    s.env.warm = nullptr; // as after a restart
    REQUIRE(s.open()->fetch({"main"}).has_value());
    SECTION("its pack is cut off") {
        for (const auto& pack : packs(s)) overwrite(pack, "PACK");
    }
    SECTION("its pack is gone") {
        for (const auto& pack : packs(s)) fs::remove(pack);
    }
    SECTION("it is no repository any more") {
        fs::remove(objects(s).parent_path() / "HEAD");
    }
    SECTION("its ref is garbage") {
        overwrite(objects(s).parent_path() / "refs/cache/main", "garbage");
    }
    SECTION("its config is garbage") {
        overwrite(objects(s).parent_path() / "config", "[[[");
    }
    const auto p = prepare(*s.open(), "6.1.8");
    CHECK(p.tree.places.size() == 1);
}

TEST_CASE("a cache that breaks while it is used asks for another try, and that one builds it again"
) {
    git_https s;
    s.origin.write("a/b.yaml", manifest("1.0.0"));
    s.origin.commit("second");
    auto repository = s.open();
    const auto tips = repository->fetch({"main"});
    REQUIRE(tips.has_value());
    for (const auto& pack : packs(s)) { // in place: it may be mapped
        fs::permissions(pack, fs::perms::owner_all);
        std::fstream file{pack, std::ios::in | std::ios::out | std::ios::binary};
        file.seekp(12) << std::string(fs::file_size(pack) - 32, '\0');
    }
    auto broken = repository->patch(tips->at("main"), podinfo_prod, revision("6.1.8"), {});
    REQUIRE(!broken.has_value());
    CHECK(broken.error().code == errc::unavailable);
    CHECK(prepare(*repository, "6.1.8").tree.places.size() == 2);
}

TEST_CASE("a cache with too many packs is built again from one") {
    git_https s;
    auto repository = s.open();
    const auto first = prepare(*repository, "6.1.8");
    for (int i = 0; i < 51; ++i)
        std::ofstream{objects(s) / "pack" / fmt::format("pack-{:040x}.pack", i)} << "PACK";
    const auto second = prepare(*repository, "6.1.8");
    CHECK(second.commit == first.commit);
    CHECK(packs(s).size() == 1);
    CHECK(s.manifests_read() == 1); // the marker index outlives the cache
}

TEST_CASE("a cache somebody deleted while the service runs costs only time") {
    git_https s;
    const auto first = prepare(*s.open(), "6.1.8");
    fs::remove_all(s.env.caches);
    const auto second = prepare(*s.open(), "6.1.8");
    CHECK(second.commit == first.commit);
    CHECK(s.manifests_read() == 2);
    fs::remove_all(cache_folder(s) / "repository");
    CHECK(prepare(*s.open(), "6.1.8").commit == first.commit);
}

TEST_CASE("a cache stays open for the next promotion, with a token that was renewed meanwhile") {
    git_https s;
    auto login = s.login("expired");
    login.identity = "app 1";
    {
        auto repository = s.git_machine::open(s.url(), login);
        REQUIRE(!repository->fetch({"main"}).has_value());
    }
    login.password = secret_string{std::string{git_https::password}};
    const auto p = prepare(*s.git_machine::open(s.url(), login), "6.1.8");
    auto again = s.git_machine::open(s.url(), login);
    CHECK(prepare(*again, "6.1.8").commit == p.commit);
    CHECK(s.manifests_read() == 1);
}

TEST_CASE("a push without a fetch before it sends only what is new") {
    git_https s;
    const auto base = prepare(*s.open(), "6.1.7").base;
    auto repository = s.open();
    const auto pushed =
        repository->push({{"one", "", prepare_on(*repository, base, "6.1.8").commit}});
    REQUIRE(pushed.has_value());
    CHECK(pushed->at(0).result == promotion::git::ref_result::done);
    const auto log = s.requests(4);
    const auto last = nlohmann::json::parse(log.substr(log.rfind("{\"method\"")));
    CHECK(last.at("bytesIn").get<int>() < 1'000);
}

TEST_CASE(
    "what was only tried leaves nothing in the cache, and what was pushed is not fetched again"
) {
    git_https s;
    s.env.warm = nullptr;
    const auto loose = [&] {
        return std::count_if(
            fs::recursive_directory_iterator{objects(s)},
            fs::recursive_directory_iterator{},
            [](const auto& e) {
                return e.is_regular_file() && e.path().filename().string().size() == 38;
            }
        );
    };
    const auto tried = prepare(*s.open(), "6.1.8");
    CHECK(loose() == 0);
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    CHECK(p.commit == tried.commit);
    REQUIRE(repository->push({{"one", "", p.commit}}).has_value());
    repository.reset();
    CHECK(loose() > 0);
    const auto before = packs(s).size();
    REQUIRE(s.open()->fetch({"main", "one"}).has_value());
    CHECK(packs(s).size() == before);
}

TEST_CASE("the cache of a login that is not used any more is removed after a month") {
    git_https s;
    s.env.warm = nullptr;
    const auto cache_of = [&](const char* password) {
        return s.env.caches / promotion::git::remote{s.url(), s.login(password)}.key();
    };
    (void)s.git_machine::open(s.url(), s.login("old"));
    (void)s.git_machine::open(s.url(), s.login("recent"));
    const auto in_use = s.git_machine::open(s.url(), s.login("in use"));
    const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours{24 * 31};
    fs::last_write_time(cache_of("old") / "in-use", long_ago);
    fs::last_write_time(cache_of("in use") / "in-use", long_ago);
    (void)s.git_machine::open(s.url(), s.login("new"));
    CHECK(!fs::exists(cache_of("old")));
    CHECK(fs::exists(cache_of("recent")));
    CHECK(fs::exists(cache_of("in use")));
    CHECK(fs::exists(cache_of("new")));
}

TEST_CASE("operations are counted by how they ended") {
    git_https s;
    auto repository = s.open();
    const auto p = prepare(*repository, "6.1.8");
    REQUIRE(repository->push({{"one", "", p.commit}}).has_value());
    s.fault("status:500");
    REQUIRE(!repository->fetch({"main"}).has_value());
    s.fault("status:404");
    REQUIRE(!repository->fetch({"main"}).has_value());
    const auto text = s.metrics.text();
    for (const auto* line : {
             R"(sluice_git_operations_total{operation="fetch",outcome="done"} 1)",
             R"(sluice_git_operations_total{operation="fetch",outcome="retry"} 1)",
             R"(sluice_git_operations_total{operation="fetch",outcome="failed"} 1)",
             R"(sluice_git_operations_total{operation="patch",outcome="done"} 1)",
             R"(sluice_git_operations_total{operation="push",outcome="done"} 1)",
             R"(sluice_git_operation_seconds_count{operation="push"} 1)",
         })
        CHECK_THAT(text, Catch::Matchers::Contains(line));
}
