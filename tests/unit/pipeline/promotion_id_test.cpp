#include "pipeline/promotion.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <set>

using namespace sluice::pipeline;

namespace {

promotion_id
id(std::string revision, int attempt = 1, promotion_kind kind = promotion_kind::promotion) {
    return {{"default", "podinfo"}, "prod", std::move(revision), kind, attempt};
}

} // namespace

TEST_CASE("an identity reads as people write it") {
    struct row {
        promotion_id id;
        std::string text;
    };
    const row rows[] = {
        {id("6.1.8"), "default/podinfo/prod@6.1.8"},
        {id("6.1.8", 2), "default/podinfo/prod@6.1.8#2"},
        {id("6.1.8", 1, promotion_kind::rollback), "default/podinfo/prod@6.1.8!rollback"},
        {id("6.1.8", 3, promotion_kind::rollback), "default/podinfo/prod@6.1.8!rollback#3"},
        {id("6.1.8+build.5"), "default/podinfo/prod@6.1.8+build.5"},
        {id("main/abc"), "default/podinfo/prod@main/abc"},
        {id("feature@x:y"), "default/podinfo/prod@feature@x:y"},
        {id("fix#12"), "default/podinfo/prod@fix%2312"},
        {id("what!rollback"), "default/podinfo/prod@what%21rollback"},
        {id("100%"), "default/podinfo/prod@100%25"},
        {{{"a/b", "c@d"}, "e#f", "1"}, "a%2fb/c%40d/e%23f@1"},
    };
    for (const auto& r : rows) {
        CHECK(r.id.text() == r.text);
        CHECK(promotion_id::parse(r.text) == r.id);
    }
}

TEST_CASE("what is not the one text of an identity is refused") {
    for (const auto* text : {
             "",
             "podinfo",
             "default/podinfo",
             "default/podinfo/prod",
             "default/podinfo/prod@",
             "default/podinfo@1.0",
             "/podinfo/prod@1.0",
             "default//prod@1.0",
             "default/podinfo/@1.0",
             "default/podinfo/prod@1.0#",
             "default/podinfo/prod@1.0#0",
             "default/podinfo/prod@1.0#1",
             "default/podinfo/prod@1.0#02",
             "default/podinfo/prod@1.0#+2",
             "default/podinfo/prod@1.0#-2",
             "default/podinfo/prod@1.0#2#3",
             "default/podinfo/prod@1.0#99999999999999999999",
             "default/podinfo/prod@#2",
             "default/podinfo/prod@!rollback",
             "default/podinfo/prod@1.0#2!rollback",
             "default/podinfo/prod@1.0!rolled",
             "default/podinfo/prod@1.0%",
             "default/podinfo/prod@1.0%2",
             "default/podinfo/prod@1.0%zz",
             "default/podinfo/prod@1.0%41",
             "default/podinfo/prod@1.0%2F",
             "default/podinfo/pr/od@1.0",
         }) {
        INFO(text);
        CHECK_FALSE(promotion_id::parse(text));
    }
}

TEST_CASE("any identity is read back from its text, and no two share one") {
    std::mt19937 random{20261116};
    const std::string_view alphabet = "/:@#+!%.-_ a1v\xc3\xa9";
    std::uniform_int_distribution<std::size_t> letter{0, alphabet.size() - 1};
    std::uniform_int_distribution<int> length{1, 6};
    std::uniform_int_distribution<int> attempt{1, 3};
    const auto word = [&] {
        std::string text;
        for (int n = length(random); n > 0; --n) text += alphabet[letter(random)];
        return text;
    };
    std::set<promotion_id> ids;
    std::set<std::string> texts;
    for (int i = 0; i < 20'000; ++i) {
        const auto kind = i % 3 == 0 ? promotion_kind::rollback : promotion_kind::promotion;
        const promotion_id original{{word(), word()}, word(), word(), kind, attempt(random)};
        const auto text = original.text();
        const auto parsed = promotion_id::parse(text);
        if (parsed != original) FAIL("not read back: " << text);
        ids.insert(original);
        texts.insert(text);
    }
    CHECK(ids.size() == texts.size());
}

TEST_CASE("reading arbitrary text as an identity gives that very text back or nothing") {
    std::mt19937 random{7};
    const std::string_view alphabet = "/@#!%2a0f1r";
    std::uniform_int_distribution<std::size_t> letter{0, alphabet.size() - 1};
    int read = 0;
    for (int i = 0; i < 50'000; ++i) {
        std::string text = "a/b/c@";
        for (int n = i % 9; n > 0; --n) text += alphabet[letter(random)];
        const auto parsed = promotion_id::parse(text);
        if (!parsed) continue;
        ++read;
        if (parsed->text() != text) FAIL(text);
    }
    CHECK(read > 1000);
}
