#include "auth/ip_address.hpp"
#include "tests/support/catch.hpp"

#include <array>

using namespace sluice::auth;

namespace {

ip_address ip(std::string_view text) {
    const auto parsed = ip_address::parse(text);
    INFO(text);
    REQUIRE(parsed.has_value());
    return *parsed;
}

bool inside(std::string_view network, std::string_view address) {
    const auto parsed = ip_network::parse(network);
    INFO(network);
    REQUIRE(parsed.has_value());
    return parsed->contains(ip(address));
}

} // namespace

TEST_CASE("an address is the same whether written plain or mapped into IPv6") {
    CHECK(ip("192.0.2.7") == ip("::ffff:192.0.2.7"));
    CHECK(ip("::ffff:192.0.2.7").text() == "192.0.2.7");
    CHECK(ip("::ffff:192.0.2.7").is_v4());
    CHECK_FALSE(ip("2001:db8::1").is_v4());
    CHECK(ip("2001:DB8:0::1").text() == "2001:db8::1");
}

TEST_CASE("what is not exactly an address is refused") {
    const std::string nul{"192.0.2.7\0", 10};
    for (const std::string_view text :
         {"",
          " ",
          "192.0.2",
          "192.0.2.256",
          "192.0.2.7 ",
          "[::1]",
          "::1%eth0",
          "1.2.3.4:5",
          "localhost",
          "0x7f.1",
          ":::"}) {
        CAPTURE(text);
        CHECK_FALSE(ip_address::parse(text).has_value());
    }
    CHECK_FALSE(ip_address::parse(nul).has_value());
    CHECK_FALSE(ip_address::parse(std::string(100'000, '1')).has_value());
}

TEST_CASE("a network holds its addresses and no others") {
    struct row {
        std::string_view network;
        std::string_view address;
        bool holds;
    };
    const std::array<row, 14> rows{{
        {"10.0.0.0/8", "10.255.255.255", true},
        {"10.0.0.0/8", "11.0.0.0", false},
        {"10.1.2.3/8", "10.9.9.9", true},
        {"192.0.2.128/25", "192.0.2.127", false},
        {"192.0.2.128/25", "192.0.2.200", true},
        {"192.0.2.7", "192.0.2.7", true},
        {"192.0.2.7", "192.0.2.8", false},
        {"0.0.0.0/0", "203.0.113.1", true},
        {"0.0.0.0/0", "2001:db8::1", false},
        {"::/0", "203.0.113.1", true},
        {"2001:db8::/32", "2001:db8:ffff::1", true},
        {"2001:db8::/32", "2001:db9::", false},
        {"10.0.0.0/8", "::ffff:10.0.0.1", true},
        {"::ffff:10.0.0.0/104", "10.0.0.1", true},
    }};
    for (const auto& r : rows) {
        CAPTURE(r.network, r.address);
        CHECK(inside(r.network, r.address) == r.holds);
    }
}

TEST_CASE("a network that cannot be read is refused") {
    for (const std::string_view text :
         {"",
          "/8",
          "10.0.0.0/",
          "10.0.0.0/33",
          "10.0.0.0/-1",
          "10.0.0.0/8x",
          "10.0.0.0/8/8",
          "::/129",
          "all"}) {
        CAPTURE(text);
        CHECK_FALSE(ip_network::parse(text).has_value());
    }
}
