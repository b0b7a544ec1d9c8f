#include "auth/key_ring.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/auth/signing.hpp"

using namespace sluice;
using namespace sluice::auth;
using namespace sluice::auth::signing;

namespace {

constexpr std::string_view by_current =
    "sha256=eca6a35a79ad0f769ee280bd990b4784fbbe68b7d624521da115f288b13e2cd3";
constexpr std::string_view by_previous =
    "sha256=7280315078462c312ffcefded945c13bcf57a6664bf5d15b88e227bcbfad0aa5";
constexpr std::string_view by_key_and_newline =
    "sha256=4cbc7fc4409d33793f4bdbb4581032ddc4a0f1d00245ab046f07fd10235202b3";
constexpr std::string_view by_empty_key =
    "sha256=10fff0e73ca4b599f2776ea5b07d8dd366865498f89e33c315ea39b50c55fc4c";

bool believed(std::string_view value, const key_ring& keys) {
    return told(verify(flux(value), body, keys)) == "verified";
}

} // namespace

TEST_CASE("an event signed with the previous key is accepted until the key is removed") {
    const auto rotating =
        ring({{"hmac-key", std::string{key}}, {"hmac-key-2025", "the-previous-key"}});
    CHECK(believed(by_current, rotating));
    CHECK(believed(by_previous, rotating));
    const auto rotated = ring_of(key);
    CHECK(believed(by_current, rotated));
    CHECK_FALSE(believed(by_previous, rotated));
}

TEST_CASE("only keys of the asked-for purpose speak") {
    const auto other = ring(
        {{"approval-key", std::string{key}},
         {"hmac-keys", std::string{key}},
         {"hmac", std::string{key}},
         {"token", std::string{key}}}
    );
    CHECK(other.empty());
    CHECK_FALSE(believed(by_current, other));
    key_ring::secret_data data;
    data.emplace("approval-key-old", secret_string{std::string{key}});
    CHECK_FALSE(key_ring::from(data, "approval-key").empty());
}

TEST_CASE("a key with white space around it is believed raw and trimmed") {
    const auto newline = ring_of(std::string{key} + "\n");
    CHECK(believed(by_key_and_newline, newline));
    CHECK(believed(by_current, newline));
    CHECK(believed(by_current, ring_of(" \t" + std::string{key} + "\r\n")));
    // A sender whose key has a newline that ours has not signs with another key.
    CHECK_FALSE(believed(by_key_and_newline, ring_of(key)));
}

TEST_CASE("a key that holds no secret lets nobody in") {
    const auto* text = GENERATE("", " ", "\n", " \t\r\n", "whsec_", "whsec_\n");
    const auto keys = ring_of(text);
    CHECK(keys.empty());
    CHECK_FALSE(believed(by_empty_key, keys));
}

TEST_CASE("without any key every signature is a mismatch, never an error of another kind") {
    const key_ring none;
    CHECK(told(verify(flux(by_current), body, none)) == "mismatch");
    CHECK(told(verify(standard(whsec_v1), body, none)) == "mismatch");
    CHECK(told(verify(flux(by_empty_key), body, key_ring::decoy())) == "mismatch");
    CHECK(told(verify(standard(whsec_v1), body, key_ring::decoy())) == "mismatch");
}

TEST_CASE(
    "a whsec_ key signs bodies as the text it is, and Standard Webhooks as the bytes it stands for"
) {
    const secret_string text{std::string{whsec}};
    const auto as_text = key_bytes(text, key_form::text);
    REQUIRE(as_text.size() == 1);
    CHECK(as_text.front().reveal() == whsec);
    const auto as_standard = key_bytes(text, key_form::standard);
    REQUIRE(as_standard.size() == 1);
    CHECK(as_standard.front().reveal().size() == 32);
}

TEST_CASE("a whsec_ key that is not base64 is taken as text") {
    const auto bytes = key_bytes(secret_string{"whsec_not base64"}, key_form::standard);
    REQUIRE(bytes.size() == 1);
    CHECK(bytes.front().reveal() == "whsec_not base64");
}
