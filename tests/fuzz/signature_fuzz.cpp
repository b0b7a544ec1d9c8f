// Signature headers and bodies as an attacker may send them: nothing but a real signature is ever believed, and a real
// one always is.
#include "auth/bound_signature.hpp"
#include "auth/client_address.hpp"
#include "auth/sign.hpp"
#include "auth/signature.hpp"

#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

using namespace sluice;
using namespace sluice::auth;

namespace {

const time_point now{std::chrono::seconds{1'700'000'000}};

const secret_string& key_text() {
    static const secret_string text{"an unguessable key of the fuzz target"};
    return text;
}

const key_ring& keys() {
    static const key_ring ring = key_ring::from({{"hmac-key", key_text()}}, "hmac-key");
    return ring;
}

void require(bool ok) {
    if (!ok) std::abort();
}

// Fields are separated by 0xff, which no header can hold; a leading digit says how often a header is sent.
std::string_view next_field(std::string_view& rest) {
    const auto end = rest.find('\xff');
    const auto field = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view{} : rest.substr(end + 1);
    return field;
}

std::vector<std::string_view> next_header(std::string_view& rest) {
    auto field = next_field(rest);
    if (field.empty()) return {};
    const bool twice = field.front() == '2';
    field.remove_prefix(1);
    return twice ? std::vector{field, field} : std::vector{field};
}

void forged_is_refused(std::string_view rest) {
    signature_headers headers;
    headers.x_signature = next_header(rest);
    headers.x_hub_signature_256 = next_header(rest);
    headers.webhook_id = next_header(rest);
    headers.webhook_timestamp = next_header(rest);
    headers.webhook_signature = next_header(rest);
    require(std::holds_alternative<signature_failure>(verify(headers, rest, keys())));
    const bound_headers bound{
        .x_sluice_timestamp = headers.webhook_timestamp, .x_signature = headers.x_signature
    };
    const bound_request request{.method = "POST", .path = "/approval/a/b/c/d", .body = rest};
    require(std::holds_alternative<signature_failure>(verify_bound(bound, request, keys(), now)));
    static_cast<void>(client_address(
        *ip_address::parse("::1"),
        headers.webhook_signature,
        std::vector{*ip_network::parse("::/0")}
    ));
}

void genuine_is_believed(std::string_view body) {
    signature_headers headers;
    const auto by_flux = sign(
        key_text(),
        {.scheme = scheme::flux,
         .body = body,
         .now = now,
         .message_id = {},
         .method = {},
         .path = {}}
    );
    const auto standard = sign(
        key_text(),
        {.scheme = scheme::standard,
         .body = body,
         .now = now,
         .message_id = "msg_1",
         .method = {},
         .path = {}}
    );
    headers.x_signature = {by_flux->at(0).value};
    headers.webhook_id = {standard->at(0).value};
    headers.webhook_timestamp = {standard->at(1).value};
    headers.webhook_signature = {standard->at(2).value};
    require(std::holds_alternative<verified>(verify(headers, body, keys())));
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view input{reinterpret_cast<const char*>(data), size};
    forged_is_refused(input);
    genuine_is_believed(input);
    return 0;
}
