#include "cli/control.hpp"
#include "cli/promotion_source.hpp"
#include "cli/promotion_table.hpp"
#include "tests/support/catch.hpp"

using namespace sluice;
using namespace sluice::cli;
using Catch::Matchers::Contains;
using json = nlohmann::ordered_json;

namespace {

json promotion(const std::string& id, const std::string& state, const std::string& message) {
    return {
        {"id", id},
        {"state", state},
        {"reason", "r"},
        {"message", message},
        {"retryAt", nullptr},
        {"updatedAt", "T"}
    };
}

json list_of(std::initializer_list<json> items) {
    json list = json::object();
    list["items"] = json::array();
    for (const auto& one : items) list["items"].push_back(one);
    return list;
}

} // namespace

TEST_CASE("the columns of the table stand below each other, whatever the names") {
    const auto table = promotions_table(
        list_of(
            {promotion("default/a/prod@1", "Pending", "waits"),
             promotion("default/ümläut/prod@1", "AwaitingApproval", "for two")}
        ),
        false
    );
    CHECK(
        table == "PROMOTION              STATE             UPDATED  WHY\n"
                 "default/a/prod@1       Pending           T        waits\n"
                 "default/ümläut/prod@1  AwaitingApproval  T        for two\n"
    );
}

TEST_CASE("an empty table says what would fill it, or that the filter matched nothing") {
    CHECK_THAT(
        promotions_table(list_of({}), false),
        Contains("No promotions yet") && Contains("sluice lint")
    );
    CHECK_THAT(promotions_table(list_of({}), true), Contains("No promotion matches"));
}

TEST_CASE("what a sender wrote cannot move the terminal's cursor") {
    const auto table = promotions_table(
        list_of({promotion("a/b/c@1", "Failed", "x\x1b[2Jy\r\n\xc2\x9bz")}), false
    );
    CHECK_THAT(table, Contains("x?[2Jy???z"));
    CHECK(table.find('\x1b') == std::string::npos);
}

TEST_CASE("a promotion that is tried again says when") {
    auto one = promotion("a/b/c@1", "Running", "no route to host");
    one["retryAt"] = "2026-08-07T13:12:44Z";
    CHECK_THAT(
        promotions_table(list_of({one}), false),
        Contains("no route to host (again at 2026-08-07T13:12:44Z)")
    );
}

TEST_CASE("the page of one promotion tells its facts and its history") {
    auto one = promotion("default/podinfo/prod@6.1.8", "AwaitingApproval", "waits for an approver");
    one["from"] = "dev";
    one["environment"] = "prod";
    one["revision"] = "6.1.8";
    one["facts"] = {{"revision", "6.1.8+abc"}, {"digest", "sha256:1"}};
    one["history"] = json::array(
        {{{"at", "T0"},
          {"state", "AwaitingApproval"},
          {"actor", "flux"},
          {"message", "proven in dev"}}}
    );
    const auto page = promotion_page(one);
    CHECK_THAT(page, Contains("Promotion  default/podinfo/prod@6.1.8\n"));
    CHECK_THAT(page, Contains("From       dev\n") && Contains("digest     sha256:1\n"));
    CHECK_THAT(
        page,
        Contains("AT  STATE             BY    WHY\nT0  AwaitingApproval  flux  proven in dev\n")
    );
}

TEST_CASE("an id is one segment of the path, and filters are parameters") {
    CHECK(
        promotion_target("default/podinfo/prod@6.1.8#2") ==
        "/api/v1/promotions/default%2Fpodinfo%2Fprod%406.1.8%232"
    );
    home::promotion_filter filter;
    filter.ns = "a&b";
    filter.state = "AwaitingApproval";
    CHECK(
        list_target(filter) == "/api/v1/promotions?limit=500&namespace=a%26b&state=AwaitingApproval"
    );
}
