#include "base/files.hpp"
#include "base/secret_folder.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <sys/stat.h>

namespace fs = std::filesystem;
using namespace sluice;

TEST_CASE("a file is read whole up to its limit and refused beyond it") {
    const tests::temp_folder folder;
    folder.write("a", std::string(200'000, 'x'));
    folder.write("empty", "");
    CHECK(read_file(folder / "a", 200'000)->size() == 200'000);
    CHECK(read_file(folder / "a", 199'999).error().code == errc::payload_too_large);
    CHECK(read_file(folder / "empty", 10)->empty());
}

TEST_CASE("what is no file is told with its path") {
    const tests::temp_folder folder;
    fs::create_directory(folder / "folder");
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(read_file(folder / "none", 10).error().code == errc::not_found);
    CHECK_THAT(
        read_file(folder / "none", 10).error().message, Catch::Contains((folder / "none").string())
    );
    CHECK(!read_file(folder / "folder", 10));
    CHECK(!read_file(folder / "fifo", 10)); // and does not hang
}

TEST_CASE("YAML files are found below a folder, without hidden ones, links followed") {
    const tests::temp_folder folder;
    folder.write("b.yaml", "");
    folder.write("a/deep/c.yml", "");
    folder.write("note.txt", "");
    folder.write(".hidden.yaml", "");
    folder.write("..data/d.yaml", "");
    fs::create_symlink("..data/d.yaml", folder / "d.yaml");
    fs::create_symlink("nowhere", folder / "dangling.yaml");
    const auto files = yaml_files(folder.path());
    REQUIRE(files.has_value());
    CHECK(
        *files ==
        std::vector<fs::path>{folder / "a/deep/c.yml", folder / "b.yaml", folder / "d.yaml"}
    );
    CHECK(yaml_files(folder / "none").error().code == errc::not_found);
}

TEST_CASE("secrets are found as Kubernetes mounts them") {
    const tests::temp_folder folder;
    folder.write("default/plain/hmac-key", "k1");
    folder.write("default/mounted/..2026/hmac-key", "k2");
    fs::create_directory_symlink("..2026", folder / "default/mounted/..data");
    fs::create_symlink("..data/hmac-key", folder / "default/mounted/hmac-key");
    folder.write("README", "not a namespace");
    const auto found = list_secret_folders(folder.path());
    REQUIRE(found.has_value());
    REQUIRE(found->size() == 2);
    CHECK((*found)[0].name == "mounted");
    CHECK((*found)[1].name == "plain");
    const auto mounted = read_secret_folder((*found)[0].path);
    REQUIRE(mounted.has_value());
    CHECK(mounted->data.size() == 1);
    CHECK(mounted->data.at("hmac-key").reveal() == "k2");
}

TEST_CASE("a secret that everyone can read is told, a mounted one is not") {
    const tests::temp_folder folder;
    folder.write("s/open", "x");
    folder.write("s/closed", "x");
    folder.write("s/..data/linked", "x");
    fs::create_symlink("..data/linked", folder / "s/linked");
    fs::permissions(folder / "s/open", fs::perms{0644});
    fs::permissions(folder / "s/closed", fs::perms{0600});
    fs::permissions(folder / "s/..data/linked", fs::perms{0644});
    CHECK(
        read_secret_folder(folder / "s")->readable_by_all ==
        std::vector<fs::path>{folder / "s/open"}
    );
}

TEST_CASE("a secret value beyond 1 MiB is refused without its content in the error") {
    const tests::temp_folder folder;
    folder.write("s/big", std::string(max_secret_value + 1, 'Q'));
    const auto read = read_secret_folder(folder / "s");
    REQUIRE(!read);
    CHECK_THAT(read.error().message, Catch::Contains("s/big") && !Catch::Contains("QQ"));
}
