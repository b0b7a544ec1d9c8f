#include "base/bytes.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <utility>

using namespace sluice;

TEST_CASE("bytes are written as lower-case hex and read in either case") {
    const std::array<std::uint8_t, 4> bytes{0x00, 0x7f, 0xab, 0xff};
    CHECK(to_hex(bytes) == "007fabff");
    CHECK(from_hex("007fABfF") == std::string("\x00\x7f\xab\xff", 4));
    CHECK(to_hex({}).empty());
    CHECK(from_hex("") == "");
}

TEST_CASE("text that is not pairs of hex digits is refused") {
    for (const auto* text : {"0", "0g", "g0", "0x", " 00", "00 ", "-1", "\xc3\xa9"}) {
        CAPTURE(text);
        CHECK_FALSE(from_hex(text).has_value());
    }
}

TEST_CASE("base64 follows the vectors of RFC 4648 both ways") {
    const std::array<std::pair<std::string_view, std::string_view>, 7> vectors{
        {{"", ""},
         {"f", "Zg=="},
         {"fo", "Zm8="},
         {"foo", "Zm9v"},
         {"foob", "Zm9vYg=="},
         {"fooba", "Zm9vYmE="},
         {"foobar", "Zm9vYmFy"}}
    };
    for (const auto& [plain, encoded] : vectors) {
        CHECK(to_base64(plain) == encoded);
        CHECK(from_base64(encoded) == plain);
    }
}

TEST_CASE("every byte value survives base64") {
    std::string all;
    for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
    for (std::size_t length = 250; length <= all.size(); ++length) {
        CHECK(from_base64(to_base64(all.substr(0, length))) == all.substr(0, length));
    }
}

TEST_CASE("text that is not padded standard base64 is refused") {
    for (const auto* text :
         {"Z",
          "Zg",
          "Zg=",
          "Zg===",
          "=",
          "====",
          "Z===",
          "Zg=g",
          "Zg==Zg==",
          "Zm9v\n",
          "Zm9-",
          "Zm_v",
          "Zm 9v"}) {
        CAPTURE(text);
        CHECK_FALSE(from_base64(text).has_value());
    }
}

TEST_CASE("well-formed UTF-8 is told from everything else") {
    for (const auto* text :
         {"",
          "plain",
          "\xc2\x80",
          "\xc3\xa9",
          "\xe2\x82\xac",
          "\xed\x9f\xbf",
          "\xee\x80\x80",
          "\xf0\x9f\x9a\xa2",
          "\xf4\x8f\xbf\xbf"}) {
        CAPTURE(text);
        CHECK(is_utf8(text));
    }
    for (const auto* text :
         {"\x80",
          "\xbf",
          "\xc3",
          "\xc0\x80",
          "\xc1\xbf",
          "\xe2\x82",
          "\xe2\x28\xa1",
          "\xe0\x80\x80",
          "\xed\xa0\x80",
          "\xf0\x80\x80\x80",
          "\xf4\x90\x80\x80",
          "\xf5\x80\x80\x80",
          "\xff",
          "ok\xfe"}) {
        CAPTURE(text);
        CHECK_FALSE(is_utf8(text));
    }
}
