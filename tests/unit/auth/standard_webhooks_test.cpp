#include "tests/support/catch.hpp"
#include "tests/unit/auth/signing.hpp"

#include <array>

using namespace sluice;
using namespace sluice::auth;
using namespace sluice::auth::signing;

namespace {

std::string outcome_of(const signature_headers& headers, std::string_view key_text = whsec) {
    return told(verify(headers, body, ring_of(key_text)));
}

std::string joined(std::string_view a, std::string_view b) {
    return std::string{a} + " " + std::string{b};
}

} // namespace

TEST_CASE("a Standard Webhooks message is believed and its signed time is told, however old it is"
) {
    const auto v = verify(standard(whsec_v1), body, ring_of(whsec));
    REQUIRE(told(v) == "verified");
    CHECK(std::get<verified>(v).signed_at == signed_at);
    CHECK(digest_of(v) == "a1465a115745cd3fd978a549bfe95fef2e2b7efbb7e89e8809f95414a09fc693");
}

TEST_CASE("a Standard Webhooks key may be written whsec_, plain, or as bare base64") {
    CHECK(outcome_of(standard(whsec_v1), whsec) == "verified");
    CHECK(outcome_of(standard(whsec_v1), std::string{whsec} + "\n") == "verified");
    CHECK(outcome_of(standard(whsec_v1), whsec.substr(6)) == "verified");
    CHECK(outcome_of(standard(plain_key_v1), key) == "verified");
    CHECK(
        outcome_of(
            standard("v1,iJ7vmB4+FklnL7edoZWFO1VXwHA3X9FA/ehc/R0WGeI="),
            "dHdlbnR5LWZvdXIgYnl0ZXMgc2VjcmV0"
        ) == "verified"
    );
    CHECK(outcome_of(standard(plain_key_v1), whsec) == "mismatch");
}

TEST_CASE("a sender that rotates its key sends several signatures and one right one is enough") {
    const auto both = joined(plain_key_v1, whsec_v1);
    CHECK(outcome_of(standard(both), whsec) == "verified");
    CHECK(outcome_of(standard(both), key) == "verified");
    CHECK(outcome_of(standard(both), "another key") == "mismatch");
}

TEST_CASE("asymmetric signatures in the list are passed over") {
    const auto with_v1a = joined("v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5B", whsec_v1);
    CHECK(outcome_of(standard(with_v1a)) == "verified");
    CHECK(
        outcome_of(standard("v1a,hnO3f9T8Ytu9HwrXslvumlUpqtNVqkhqw/enGzPCXe5B")) ==
        "unsupported_algorithm"
    );
    // The right MAC under another version name is no v1 signature.
    CHECK(outcome_of(standard("v2," + std::string{whsec_v1.substr(3)})) == "unsupported_algorithm");
}

TEST_CASE("another id or time than the signed one is a mismatch") {
    CHECK(outcome_of(standard(whsec_v1, "1674087232")) == "mismatch");
    CHECK(outcome_of(standard(whsec_v1, "01674087231")) == "mismatch");
    auto other = standard(whsec_v1);
    other.webhook_id = {"msg_other"};
    CHECK(outcome_of(other) == "mismatch");
}

TEST_CASE("a time that is not plain unix seconds is malformed") {
    const auto* at = GENERATE(
        "",
        " 1674087231",
        "1674087231 ",
        "+1674087231",
        "-1",
        "1674087231.0",
        "0x63c8",
        "999999999999",
        "1e9"
    );
    CHECK(outcome_of(standard(whsec_v1, at)) == "malformed");
}

TEST_CASE("a signature list that cannot be read is malformed") {
    const std::string mac{whsec_v1.substr(3)};
    const std::array<std::string, 8> lists{
        "",
        " ",
        "v1",
        mac,
        "v1," + mac.substr(4),
        "v1,",
        "v1,!" + mac.substr(1),
        std::string{whsec_v1} + " v1,AAAA"
    };
    for (const auto& list : lists) {
        CAPTURE(list);
        CHECK(outcome_of(standard(list)) == "malformed");
    }
}

TEST_CASE("a list of more signatures than any rotation needs is malformed") {
    std::string list{whsec_v1};
    for (int i = 1; i < 16; ++i) list = joined(list, plain_key_v1);
    CHECK(outcome_of(standard(list)) == "verified");
    CHECK(outcome_of(standard(joined(list, plain_key_v1))) == "malformed");
}

TEST_CASE("id, time and signature must each be there exactly once") {
    const auto complete = standard(whsec_v1);
    for (const auto part :
         {&signature_headers::webhook_id, &signature_headers::webhook_timestamp}) {
        auto absent = complete;
        (absent.*part).clear();
        CHECK(outcome_of(absent) == "malformed");
    }
    for (const auto part :
         {&signature_headers::webhook_id,
          &signature_headers::webhook_timestamp,
          &signature_headers::webhook_signature}) {
        auto twice = complete;
        (twice.*part).push_back((twice.*part).front());
        CHECK(outcome_of(twice) == "malformed");
    }
}

TEST_CASE("an id with a dot is refused, since the signed text could be cut in two ways") {
    auto dotted = standard(whsec_v1);
    dotted.webhook_id = {"msg.1"};
    CHECK(outcome_of(dotted) == "malformed");
    dotted.webhook_id = {""};
    CHECK(outcome_of(dotted) == "malformed");
}
