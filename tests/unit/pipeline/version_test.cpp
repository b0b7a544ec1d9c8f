#include "pipeline/version.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/pipeline/world.hpp"

#include <random>

using namespace sluice::pipeline;

namespace {

const std::string commit = "b3396adb98a6a0f5eeedd1a600beaf5e954a1f28";
const std::string digest =
    "sha256:1234567890abcdef1234567890abcdef1234567890abcdef1234567890abcdef";
const std::string other_digest =
    "sha256:fedcba0987654321fedcba0987654321fedcba0987654321fedcba0987654321";
const std::string hex = digest.substr(7);

} // namespace

TEST_CASE("a revision is written as manifests want it") {
    struct row {
        std::string revision;
        std::string digest;
        std::string written;
    };
    const row rows[] = {
        // Helm charts
        {"6.1.8", "", "6.1.8"},
        {"6.2.1+1234567890ab", digest, "6.2.1"},
        {"6.2.1-rc.1+1234567890ab", digest, "6.2.1-rc.1"},
        {"6.2.1+build.5+1234567890ab", digest, "6.2.1+build.5"},
        {"6.2.1+1234567890ab", "", "6.2.1+1234567890ab"},
        {"6.2.1+1234567890ab", other_digest, "6.2.1+1234567890ab"},
        {"6.2.1+1234567890a", digest, "6.2.1+1234567890a"},
        {"6.2.1+build.5", digest, "6.2.1+build.5"},
        {"6.2.1+", digest, "6.2.1+"},
        {"+1234567890ab", digest, "+1234567890ab"},
        // git
        {"main@sha1:" + commit, "", commit},
        {"v1.2.3@sha1:" + commit, "", "v1.2.3"},
        {"1.2.3-rc.1@sha1:" + commit, "", "1.2.3-rc.1"},
        {"1.2@sha1:" + commit, "", commit}, // a stable branch more often than a tag
        {"feature/x@sha1:" + commit, "", commit},
        {"refs/tags/nightly@sha1:" + commit, "", "nightly"},
        {"refs/heads/main@sha1:" + commit, "", commit},
        {"refs/tags/@sha1:" + commit, "", commit},
        {"sha1:" + commit, "", commit},
        {"main/" + commit, "", commit},
        {"feature/x/" + commit, "", commit},
        {"v1.2.3/" + commit, "", "v1.2.3"},
        {commit, "", commit},
        // OCI
        {"latest@" + digest, "", "latest"},
        {"6.2.1@" + digest, "", "6.2.1"},
        {"latest/" + hex, "", "latest"},
        // Bucket
        {digest, "", digest},
        // not what it looks like
        {"main@sha1:abc", "", "main@sha1:abc"},
        {"main@md5:" + commit, "", "main@md5:" + commit},
        {"@sha1:" + commit, "", "@sha1:" + commit},
        {"/" + commit, "", "/" + commit},
        {"sha1:", "", "sha1:"},
        {"user@example", "", "user@example"},
    };
    for (const auto& r : rows) {
        INFO(r.revision);
        CHECK(written_form(facts(r.revision, r.digest)) == r.written);
    }
}

TEST_CASE("a written form is its own written form, and never empty") {
    std::mt19937 random{3};
    const std::string parts[] = {
        "v1.2.3", "main", "@", "/", "sha1:", "+", commit, digest, hex, "refs/tags/", "1234567890ab"
    };
    std::uniform_int_distribution<std::size_t> pick{0, std::size(parts) - 1};
    for (int i = 0; i < 20'000; ++i) {
        std::string revision;
        for (int n = 1 + i % 5; n > 0; --n) revision += parts[pick(random)];
        if (written_form(facts(revision, digest)).empty()) FAIL(revision);
    }
    for (const auto* plain : {"6.1.8", "v1.2.3", "latest", commit.c_str(), "6.1.8+build"}) {
        CHECK(written_form(facts(plain)) == plain);
    }
}

TEST_CASE("reports of one release are recognised in all its forms") {
    struct row {
        revision_facts a;
        revision_facts b;
        bool same;
    };
    const row rows[] = {
        {facts("6.2.1"), facts("6.2.1"), true},
        {facts("6.2.1"), facts("6.2.2"), false},
        {facts("6.2.1+1234567890ab", digest), facts("6.2.1"), true},
        {facts("6.2.1+1234567890ab", digest), facts("6.2.1@" + digest), true},
        {facts("6.2.1+1234567890ab", digest), facts("6.2.1", other_digest), false},
        {facts("latest@" + digest), facts("latest@" + other_digest), false},
        {facts("latest@" + digest), facts("latest"), true},
        {facts("main@sha1:" + commit), facts("sha1:" + commit), true},
        {facts("main@sha1:" + commit), facts("main/" + commit), true},
        {facts("v1.2.3@sha1:" + commit), facts("v1.2.3"), true},
        {facts("v1.2.3"), facts("1.2.3"), false},
    };
    for (const auto& r : rows) {
        INFO(r.a.revision << " and " << r.b.revision);
        CHECK(same_release(r.a, r.b) == r.same);
        CHECK(same_release(r.b, r.a) == r.same);
    }
}

TEST_CASE("the digest of a release is the reported one, else the one in an OCI revision") {
    CHECK(digest_of(facts("6.2.1", digest)) == digest);
    CHECK(digest_of(facts("6.2.1@" + other_digest, digest)) == digest);
    CHECK(digest_of(facts("6.2.1@" + digest)) == digest);
    CHECK(digest_of(facts("main@sha1:" + commit)).empty());
    CHECK(digest_of(facts(digest)).empty());
}
