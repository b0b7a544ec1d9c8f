#include "auth/bound_signature.hpp"
#include "auth/sign.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/auth/signing.hpp"

using namespace sluice;
using namespace sluice::auth;
using namespace sluice::auth::signing;

namespace {

signing_order order(scheme s) {
    return {
        .scheme = s,
        .body = body,
        .now = signed_at + std::chrono::milliseconds{900},
        .message_id = id,
        .method = "POST",
        .path = "/approval/default/podinfo/prod/6.1.8"
    };
}

std::vector<header> signed_with(std::string_view key_text, const signing_order& o) {
    auto made = sign(secret_string{std::string{key_text}}, o);
    REQUIRE(made.has_value());
    return *made;
}

} // namespace

TEST_CASE("what sluice sign prints for Flux and GitHub is what they would send") {
    const auto by_flux = signed_with(key, order(scheme::flux));
    REQUIRE(by_flux.size() == 1);
    CHECK(by_flux[0].name == "X-Signature");
    CHECK(by_flux[0].value == "sha256=" + std::string{sha256_mac});
    const auto by_github = signed_with(key, order(scheme::github));
    REQUIRE(by_github.size() == 1);
    CHECK(by_github[0].name == "X-Hub-Signature-256");
    CHECK(by_github[0].value == "sha256=" + std::string{sha256_mac});
}

TEST_CASE("what sluice sign prints for Standard Webhooks is what its libraries would send") {
    const auto made = signed_with(whsec, order(scheme::standard));
    REQUIRE(made.size() == 3);
    CHECK(made[0].name == "webhook-id");
    CHECK(made[0].value == id);
    CHECK(made[1].name == "webhook-timestamp");
    CHECK(made[1].value == timestamp);
    CHECK(made[2].name == "webhook-signature");
    CHECK(made[2].value == whsec_v1);
    CHECK(signed_with(key, order(scheme::standard))[2].value == plain_key_v1);
}

TEST_CASE("what sluice sign prints for an approval is believed at its path") {
    auto o = order(scheme::bound);
    o.body = R"({"by":"ci"})";
    const auto made = signed_with(key, o);
    REQUIRE(made.size() == 2);
    CHECK(made[0].name == "X-Sluice-Timestamp");
    CHECK(made[1].name == "X-Signature");
    CHECK(made[1].value == "v1=bb1934c9da31817848dcbdebc540b002b4d79d4db19bd155052d9ef860e85365");
    const bound_headers sent{.x_sluice_timestamp = {made[0].value}, .x_signature = {made[1].value}};
    const bound_request request{.method = o.method, .path = o.path, .body = o.body};
    CHECK(told(verify_bound(sent, request, ring_of(key), signed_at)) == "verified");
}

TEST_CASE("a newline at the end of a key file does not change the signature") {
    for (const auto s : {scheme::flux, scheme::github, scheme::standard, scheme::bound}) {
        const auto with = signed_with(std::string{key} + "\n", order(s));
        CHECK(with.back().value == signed_with(key, order(s)).back().value);
    }
}

TEST_CASE("signing without a secret, an id or a path says what to give") {
    CHECK(sign(secret_string{"\n"}, order(scheme::flux)).error().code == errc::invalid_argument);
    auto o = order(scheme::standard);
    o.message_id = "a.b";
    CHECK(sign(secret_string{"k"}, o).error().message.find("message id") != std::string::npos);
    for (const auto* path : {"", "approval/x", "/approval/x?y=1"}) {
        o = order(scheme::bound);
        o.path = path;
        CHECK(
            sign(secret_string{"k"}, o).error().message.find("method and path") != std::string::npos
        );
    }
    o = order(scheme::bound);
    o.method = "";
    CHECK(sign(secret_string{"k"}, o).error().message.find("method and path") != std::string::npos);
}

TEST_CASE("scheme names are those of the command line") {
    CHECK(parse_scheme("flux") == scheme::flux);
    CHECK(parse_scheme("standard") == scheme::standard);
    CHECK(parse_scheme("github") == scheme::github);
    CHECK(parse_scheme("bound") == scheme::bound);
    CHECK_FALSE(parse_scheme("Flux").has_value());
    CHECK_FALSE(parse_scheme("").has_value());
}

TEST_CASE("every new message id is another one and can be signed") {
    const auto a = new_message_id();
    CHECK(a != new_message_id());
    CHECK(a.starts_with("msg_"));
    CHECK(a.find('.') == std::string::npos);
}
