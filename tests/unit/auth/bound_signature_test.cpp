#include "auth/bound_signature.hpp"
#include "tests/support/catch.hpp"
#include "tests/unit/auth/signing.hpp"

#include <array>

using namespace sluice;
using namespace sluice::auth;
using namespace sluice::auth::signing;
using namespace std::chrono_literals;

namespace {

const bound_request approval{
    .method = "POST", .path = "/approval/default/podinfo/prod/6.1.8", .body = R"({"by":"ci"})"
};
constexpr std::string_view value =
    "v1=bb1934c9da31817848dcbdebc540b002b4d79d4db19bd155052d9ef860e85365";

bound_headers headers(std::string_view signature = value, std::string_view at = timestamp) {
    return {.x_sluice_timestamp = {at}, .x_signature = {signature}};
}

std::string
outcome_of(const bound_headers& h, const bound_request& r = approval, time_point now = signed_at) {
    return told(verify_bound(h, r, ring_of(key), now));
}

} // namespace

TEST_CASE("an approval signed for its method, path and time is believed") {
    const auto v = verify_bound(headers(), approval, ring_of(key), signed_at + 1s);
    REQUIRE(told(v) == "verified");
    CHECK(std::get<verified>(v).signed_at == signed_at);
}

TEST_CASE("an approval signature is worth nothing for another method, path, body, time or key") {
    auto r = approval;
    r.method = "PUT";
    CHECK(outcome_of(headers(), r) == "mismatch");
    r = approval;
    r.path = "/approval/default/podinfo/prod/6.1.9";
    CHECK(outcome_of(headers(), r) == "mismatch");
    r = approval;
    r.body = "";
    CHECK(outcome_of(headers(), r) == "mismatch");
    CHECK(outcome_of(headers(value, "1674087232")) == "mismatch");
    CHECK(told(verify_bound(headers(), approval, ring_of("another key"), signed_at)) == "mismatch");
    CHECK(told(verify_bound(headers(), approval, key_ring{}, signed_at)) == "mismatch");
}

TEST_CASE("an approval is believed for five minutes") {
    CHECK(outcome_of(headers(), approval, signed_at + 5min) == "verified");
    CHECK(outcome_of(headers(), approval, signed_at + 5min + 1ms) == "outside_tolerance");
    CHECK(outcome_of(headers(), approval, signed_at - 5min) == "verified");
    CHECK(outcome_of(headers(), approval, signed_at - 5min - 1ms) == "outside_tolerance");
}

TEST_CASE("the approval form of Weave, which covers nothing but the body, is not a bound signature"
) {
    CHECK(outcome_of(headers("sha256=" + std::string(64, '0'))) == "unsupported_algorithm");
}

TEST_CASE("an approval with absent, repeated or unreadable headers is refused") {
    CHECK(outcome_of({.x_sluice_timestamp = {timestamp}, .x_signature = {}}) == "missing");
    CHECK(outcome_of({.x_sluice_timestamp = {}, .x_signature = {value}}) == "malformed");
    CHECK(
        outcome_of({.x_sluice_timestamp = {timestamp, timestamp}, .x_signature = {value}}) ==
        "malformed"
    );
    CHECK(
        outcome_of({.x_sluice_timestamp = {timestamp}, .x_signature = {value, value}}) ==
        "malformed"
    );
    CHECK(outcome_of(headers(value, "yesterday")) == "malformed");
    CHECK(outcome_of(headers("v1=00")) == "malformed");
}

TEST_CASE("a line break cannot move bytes from one signed part to the next") {
    auto r = approval;
    r.path = "/a\n1674087231\nx";
    CHECK(outcome_of(headers(), r) == "malformed");
    r = approval;
    r.method = "POST\n/a";
    CHECK(outcome_of(headers(), r) == "malformed");
}
