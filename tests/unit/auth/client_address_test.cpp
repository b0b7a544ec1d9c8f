#include "auth/client_address.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

using namespace sluice::auth;

namespace {

std::string client(
    std::string_view peer,
    const std::vector<std::string_view>& forwarded,
    const std::vector<std::string_view>& proxies
) {
    std::vector<ip_network> networks;
    for (const auto p : proxies) networks.push_back(ip_network::parse(p).value());
    return client_address(ip_address::parse(peer).value(), forwarded, networks).text();
}

const std::vector<std::string_view> none;
const std::vector<std::string_view> lan{"10.0.0.0/8", "fd00::/8"};

} // namespace

TEST_CASE("without configured proxies X-Forwarded-For counts for nothing") {
    CHECK(client("203.0.113.9", {"192.0.2.1"}, none) == "203.0.113.9");
    CHECK(client("203.0.113.9", {"192.0.2.1"}, lan) == "203.0.113.9");
}

TEST_CASE("behind proxies the client is the rightmost address that is not a proxy") {
    CHECK(client("10.0.0.1", {"192.0.2.1"}, lan) == "192.0.2.1");
    CHECK(client("10.0.0.1", {"192.0.2.1, 10.0.0.2"}, lan) == "192.0.2.1");
    CHECK(client("10.0.0.1", {"192.0.2.1,10.0.0.2 ,\t10.0.0.3"}, lan) == "192.0.2.1");
    CHECK(client("fd00::1", {"2001:db8::5"}, lan) == "2001:db8::5");
    CHECK(client("::ffff:10.0.0.1", {"192.0.2.1"}, lan) == "192.0.2.1");
}

TEST_CASE("what a client writes to the left of its own address counts for nothing") {
    CHECK(client("10.0.0.1", {"198.51.100.1, 192.0.2.1"}, lan) == "192.0.2.1");
    CHECK(client("10.0.0.1", {"10.0.0.9, 192.0.2.1, 10.0.0.2"}, lan) == "192.0.2.1");
    CHECK(client("10.0.0.1", {"198.51.100.1", "192.0.2.1"}, lan) == "192.0.2.1");
}

TEST_CASE("several header lines are one list") {
    CHECK(client("10.0.0.1", {"192.0.2.1", "10.0.0.2", "10.0.0.3"}, lan) == "192.0.2.1");
}

TEST_CASE("a port beside the address is read past") {
    CHECK(client("10.0.0.1", {"192.0.2.1:4711"}, lan) == "192.0.2.1");
    CHECK(client("10.0.0.1", {"[2001:db8::5]:4711"}, lan) == "2001:db8::5");
    CHECK(client("10.0.0.1", {"[2001:db8::5]"}, lan) == "2001:db8::5");
}

TEST_CASE("an entry that cannot be read ends the chain at the proxy that passed it on") {
    for (const std::string_view entry :
         {"",
          " ",
          "unknown",
          "_hidden",
          "192.0.2.1:",
          "192.0.2.1:99x",
          "192.0.2.1:123456",
          "[::1",
          "[::1]x",
          "192.0.2.1;"}) {
        CAPTURE(entry);
        const auto list = "198.51.100.1, " + std::string{entry};
        CHECK(client("10.0.0.1", {list}, lan) == "10.0.0.1");
    }
    CHECK(client("10.0.0.1", {"198.51.100.1, unknown, 10.0.0.2"}, lan) == "10.0.0.2");
}

TEST_CASE("where every hop is a proxy the farthest one is the client") {
    CHECK(client("10.0.0.1", {"10.0.0.3, 10.0.0.2"}, lan) == "10.0.0.3");
    CHECK(client("10.0.0.1", {}, lan) == "10.0.0.1");
}
