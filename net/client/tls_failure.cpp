#include "net/client/tls_identity.hpp"

#include <fmt/format.h>
#include <openssl/err.h>
#include <openssl/sslerr.h>
#include <openssl/x509_vfy.h>

namespace sluice::net::client {

namespace {

error not_trusted(const std::string& host, long why) {
    switch (why) {
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH:
        return {
            errc::unprocessable,
            fmt::format(
                "the certificate of {} is for another host; correct the URL or the certificate",
                host
            )
        };
    case X509_V_ERR_CERT_HAS_EXPIRED:
    case X509_V_ERR_CERT_NOT_YET_VALID:
        return {
            errc::unprocessable,
            fmt::format(
                "the certificate of {} is not valid now ({}); renew it, or correct a clock",
                host,
                X509_verify_cert_error_string(why)
            )
        };
    default:
        return {
            errc::unprocessable,
            fmt::format(
                "the certificate of {} is not trusted ({}); give its CA as ca.crt in the Secret",
                host,
                X509_verify_cert_error_string(why)
            )
        };
    }
}

// The alerts with which a server refuses the client's certificate or the lack of one.
bool is_about_our_certificate(const SSL* ssl, int reason) {
    switch (reason) {
    // Before TLS 1.3 the lack of one has no alert of its own; the list is there when the server asked for one.
    case SSL_R_SSLV3_ALERT_HANDSHAKE_FAILURE: return SSL_get0_peer_CA_list(ssl) != nullptr;
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED: return true;
    default: return false;
    }
}

} // namespace

error tls_failure(const SSL* ssl, const std::string& host) {
    const long verified = SSL_get_verify_result(ssl);
    const int reason = ERR_GET_REASON(ERR_peek_last_error());
    const bool wrong_certificate = is_about_our_certificate(ssl, reason);
    const auto why = openssl_error();
    if (verified != X509_V_OK) return not_trusted(host, verified);
    if (wrong_certificate) {
        return {
            errc::unprocessable,
            fmt::format(
                "{} {} ({}); give one it trusts as tls.crt and tls.key in the Secret",
                host,
                SSL_get_certificate(ssl) == nullptr ? "wants a client certificate"
                                                    : "does not accept our client certificate",
                why
            )
        };
    }
    return {errc::unavailable, fmt::format("TLS with {} failed: {}", host, why)};
}

} // namespace sluice::net::client
