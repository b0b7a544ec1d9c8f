#include "promotion/text/pull_request_text.hpp"
#include "tests/support/catch.hpp"

namespace sluice::promotion::text {
namespace {

promotion_key key(const std::string& ns, const std::string& name, const std::string& environment) {
    return {{ns, name}, environment};
}

bool may_be_a_branch(const std::string& name) {
    const bool plain =
        name.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
        ) == std::string::npos;
    return plain && name.find("..") == std::string::npos && !name.ends_with('.') &&
           !name.ends_with(".lock") && name.size() <= 240;
}

} // namespace

TEST_CASE("branches are called as Weave calls them") {
    const auto prod = key("flux-system", "podinfo-github", "prod");
    CHECK(branch_name(prod, {}) == "promotion-flux-system-podinfo-github-prod");
    const promotion_key all[] = {prod, key("default", "podinfo", "prod")};
    CHECK(branch_name(prod, all) == "promotion-flux-system-podinfo-github-prod");
}

TEST_CASE("two that would share a branch each get one of their own, whatever their order") {
    const auto one = key("a-b", "c", "prod");
    const auto two = key("a", "b-c", "prod");
    const promotion_key all[] = {one, two};
    const promotion_key turned[] = {two, one};
    const auto first = branch_name(one, all);
    const auto second = branch_name(two, all);
    CHECK(first != second);
    CHECK(first.starts_with("promotion-a-b-c-prod-"));
    CHECK(second.starts_with("promotion-a-b-c-prod-"));
    CHECK(branch_name(one, turned) == first);
    CHECK(branch_name(two, turned) == second);
    CHECK(branch_name(one, {}) == "promotion-a-b-c-prod");
}

TEST_CASE("names that differ only in case share a branch on some servers, so they get their own") {
    const promotion_key all[] = {key("a", "b", "Prod"), key("a", "b", "prod")};
    CHECK(branch_name(all[0], all) != "promotion-a-b-Prod");
    CHECK(branch_name(all[1], all) != "promotion-a-b-prod");
}

TEST_CASE("what a branch may not hold is replaced, and no two names become one") {
    const std::string odd[] = {
        "eu/prod",
        "eu prod",
        "eu..prod",
        "prod.lock",
        "prod.",
        "pröd",
        "@{prod}",
        "a~b^c:d",
        std::string(400, 'x')
    };
    std::vector<promotion_key> all;
    for (const auto& name : odd) all.push_back(key("ns", "app", name));
    std::vector<std::string> names;
    for (const auto& k : all) {
        const auto name = branch_name(k, all);
        INFO(k.environment << " " << name);
        CHECK(may_be_a_branch(name));
        CHECK(std::ranges::find(names, name) == names.end());
        names.push_back(name);
    }
}

} // namespace sluice::promotion::text
