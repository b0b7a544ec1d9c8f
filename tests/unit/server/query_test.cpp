#include "server/query.hpp"
#include "tests/support/catch.hpp"

using sluice::server::query_value;

TEST_CASE("a filter in the query is found and decoded, whatever stands around it") {
    CHECK(query_value("state=Pending", "state") == "Pending");
    CHECK(query_value("a=1&state=Pending&b=2", "state") == "Pending");
    CHECK(query_value("environment=eu%2Fprod+1", "environment") == "eu/prod 1");
    CHECK(query_value("state=one&state=two", "state") == "one");
    CHECK(query_value("state=", "state") == "");
    CHECK(query_value("state", "state") == "");
    CHECK(query_value("&&state=x&", "state") == "x");
}

TEST_CASE("what is not in the query, or broken, is not made up") {
    CHECK_FALSE(query_value("", "state"));
    CHECK_FALSE(query_value("estate=x", "state"));
    CHECK_FALSE(query_value("state=%zz", "state"));
    CHECK_FALSE(query_value("state=%2", "state"));
    CHECK_FALSE(query_value("state=%", "state"));
}
