#include "tests/support/catch.hpp"
#include "tests/unit/auth/signing.hpp"

#include <algorithm>
#include <array>

using namespace sluice;
using namespace sluice::auth;
using namespace sluice::auth::signing;

namespace {

std::string outcome_of(std::string_view x_signature) {
    return told(verify(flux(x_signature), body, ring_of(key)));
}

std::string upper(std::string text) {
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'f' ? static_cast<char>(c - 32) : c;
    });
    return text;
}

const std::string sha256_value = "sha256=" + std::string{sha256_mac};

} // namespace

TEST_CASE("an event signed as Flux does is believed, with each hash its documentation names") {
    const auto* value = GENERATE(
        "sha224=a62f46350a1b559f92ba02eb6a48edc635a893c1eb9b089325db7896",
        "sha256=eca6a35a79ad0f769ee280bd990b4784fbbe68b7d624521da115f288b13e2cd3",
        "sha384="
        "68b32ef354031562d8b8cbe93cc7eea2ddf3bb40fb547ae0d7ba9b1d259c3116fb7e2892016b48f65679cc8b98"
        "c8bb83",
        "sha512=09d5d908956b9045dc630cb59f6e9a84b7c2402e9ad659669dade1a11a99eb7a"
        "0150df4385ea55ac19ec51915424a4a6608b7cc315037610ecb32d0c3d65985e"
    );
    CHECK(outcome_of(value) == "verified");
}

TEST_CASE("hex digits may be in either case") {
    CHECK(outcome_of("sha256=" + upper(std::string{sha256_mac})) == "verified");
}

TEST_CASE("a verified body carries the digest of exactly its bytes and no signed time") {
    const auto v = verify(flux(sha256_value), body, ring_of(key));
    REQUIRE(told(v) == "verified");
    CHECK(digest_of(v) == "e25ffe2414f8e4ce267e94f2cd91b643482f802e20507c1f40b097b2fed5376e");
    CHECK_FALSE(std::get<verified>(v).signed_at.has_value());
}

TEST_CASE("a request without a signature is told apart from one with a wrong signature") {
    CHECK(told(verify({}, body, ring_of(key))) == "missing");
    auto only_id = standard(plain_key_v1);
    only_id.webhook_signature.clear();
    CHECK(told(verify(only_id, body, ring_of(key))) == "missing");
}

TEST_CASE("a header that is not one algorithm, one '=' and its number of hex digits is refused") {
    const std::string mac{sha256_mac};
    struct row {
        std::string value;
        std::string outcome;
    };
    const std::array<row, 17> rows{{
        {"", "malformed"},
        {"=", "unsupported_algorithm"},
        {"sha256", "malformed"},
        {"sha256=", "malformed"},
        {mac, "malformed"},
        {"=" + mac, "unsupported_algorithm"},
        {"sha256==" + mac, "malformed"},
        {"sha256=" + mac + "=", "malformed"},
        {"sha256=" + mac.substr(1), "malformed"},
        {"sha256=" + mac.substr(2), "malformed"},
        {"sha256=" + mac + "00", "malformed"},
        {"sha256=g" + mac.substr(1), "malformed"},
        {"sha256= " + mac, "malformed"},
        {"sha512=" + mac, "malformed"},
        {"sha1=" + mac.substr(0, 40), "unsupported_algorithm"},
        {"SHA256=" + mac, "unsupported_algorithm"},
        {"v1=" + mac, "unsupported_algorithm"},
    }};
    for (const auto& r : rows) {
        CAPTURE(r.value);
        CHECK(outcome_of(r.value) == r.outcome);
    }
}

TEST_CASE("a header sent twice is malformed, even if both values are right") {
    auto twice = flux(sha256_value);
    twice.x_signature.push_back(sha256_value);
    CHECK(told(verify(twice, body, ring_of(key))) == "malformed");
    signature_headers hub;
    hub.x_hub_signature_256 = {sha256_value, sha256_value};
    CHECK(told(verify(hub, body, ring_of(key))) == "malformed");
}

TEST_CASE("a signature for another body, key or hash is a mismatch") {
    const auto changed = std::string{body} + " ";
    CHECK(told(verify(flux(sha256_value), changed, ring_of(key))) == "mismatch");
    CHECK(told(verify(flux(sha256_value), "", ring_of(key))) == "mismatch");
    CHECK(told(verify(flux(sha256_value), body, ring_of("another key"))) == "mismatch");
    // A sha512 MAC cut to the length of sha256.
    CHECK(
        outcome_of("sha256=09d5d908956b9045dc630cb59f6e9a84b7c2402e9ad659669dade1a11a99eb7a") ==
        "mismatch"
    );
    for (std::size_t i = 0; i < sha256_mac.size(); ++i) {
        auto flipped = sha256_value;
        flipped.at(7 + i) = flipped.at(7 + i) == '0' ? '1' : '0';
        CHECK(outcome_of(flipped) == "mismatch");
    }
}

TEST_CASE("a request signed as GitHub and Gitea do is believed, by sha256 only") {
    signature_headers hub;
    hub.x_hub_signature_256 = {sha256_value};
    CHECK(told(verify(hub, body, ring_of(key))) == "verified");
    hub.x_hub_signature_256 = {"sha224=a62f46350a1b559f92ba02eb6a48edc635a893c1eb9b089325db7896"};
    CHECK(told(verify(hub, body, ring_of(key))) == "unsupported_algorithm");
}

TEST_CASE("where several schemes sign one request, one wrong signature is enough to refuse it") {
    auto all = standard(plain_key_v1);
    all.x_signature = {sha256_value};
    all.x_hub_signature_256 = {sha256_value};
    const auto v = verify(all, body, ring_of(key));
    REQUIRE(told(v) == "verified");
    CHECK(std::get<verified>(v).signed_at == signed_at);
    CHECK(digest_of(v) == "e25ffe2414f8e4ce267e94f2cd91b643482f802e20507c1f40b097b2fed5376e");

    const auto wrong = "sha256=" + std::string(64, '0');
    auto bad = all;
    bad.x_signature = {wrong};
    CHECK(told(verify(bad, body, ring_of(key))) == "mismatch");
    bad = all;
    bad.x_hub_signature_256 = {wrong};
    CHECK(told(verify(bad, body, ring_of(key))) == "mismatch");
    bad = all;
    bad.webhook_signature = {whsec_v1};
    CHECK(told(verify(bad, body, ring_of(key))) == "mismatch");
    bad = all;
    bad.x_signature = {"md5=00"};
    CHECK(told(verify(bad, body, ring_of(key))) == "unsupported_algorithm");
}
