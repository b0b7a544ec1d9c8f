#include "net/tls_context.hpp"

#include <openssl/err.h>

#include <array>
#include <ctime>
#include <string_view>

namespace sluice::net {

namespace {

// https://wiki.mozilla.org/Security/Server_Side_TLS, intermediate, without the finite-field key exchanges.
constexpr const char* tls12_ciphers =
    "ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-RSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-GCM-SHA384:"
    "ECDHE-RSA-AES256-GCM-SHA384:ECDHE-ECDSA-CHACHA20-POLY1305:ECDHE-RSA-CHACHA20-POLY1305";
// Pinned: a client that may choose P-521 makes one handshake cost as much as fifteen.
constexpr const char* groups = "X25519:P-256:P-384";
constexpr std::string_view session_context = "sluice";

error unusable(const std::filesystem::path& file, std::string_view what, std::string_view remedy) {
    return {
        errc::invalid_argument,
        file.string() + ": " + std::string(what) + " (" + openssl_error() + "); " +
            std::string(remedy)
    };
}

// HTTP/1.1 (or 1.0) if the client knows it; one that speaks h2 only is told so by an alert.
int choose_protocol(
    SSL* /*ssl*/,
    const unsigned char** out,
    unsigned char* out_length,
    const unsigned char* offered,
    unsigned offered_length,
    void* /*argument*/
) {
    static constexpr std::array<unsigned char, 18> ours = {
        8,
        'h',
        't',
        't',
        'p',
        '/',
        '1',
        '.',
        '1',
        8,
        'h',
        't',
        't',
        'p',
        '/',
        '1',
        '.',
        '0',
    };
    unsigned char* chosen = nullptr;
    const int found = SSL_select_next_proto(
        &chosen, out_length, ours.data(), ours.size(), offered, offered_length
    );
    if (found != OPENSSL_NPN_NEGOTIATED) return SSL_TLSEXT_ERR_ALERT_FATAL;
    *out = chosen;
    return SSL_TLSEXT_ERR_OK;
}

// Without it OpenSSL would ask on the terminal, and the server would hang there. `data` tells that it was asked for.
int no_passphrase(char* /*into*/, int /*size*/, int /*writing*/, void* data) {
    *static_cast<bool*>(data) = true;
    return -1;
}

outcome use_key(SSL_CTX* context, const tls_files& files) {
    bool encrypted = false;
    SSL_CTX_set_default_passwd_cb(context, no_passphrase);
    SSL_CTX_set_default_passwd_cb_userdata(context, &encrypted);
    const bool used =
        SSL_CTX_use_PrivateKey_file(context, files.key.c_str(), SSL_FILETYPE_PEM) == 1 &&
        SSL_CTX_check_private_key(context) == 1;
    SSL_CTX_set_default_passwd_cb_userdata(context, nullptr);
    if (used) return {};
    if (encrypted) {
        return unusable(
            files.key,
            "the private key is encrypted",
            "nobody could type its passphrase at a restart: write it without one, readable by the "
            "server only (openssl pkey -in FILE -out NEW_FILE)"
        );
    }
    return unusable(
        files.key,
        "not the private key of " + files.certificate.string(),
        "give the PEM key that belongs to the certificate"
    );
}

bool apply_profile(SSL_CTX* context) {
    const auto id = reinterpret_cast<const unsigned char*>(session_context.data());
    SSL_CTX_set_options(
        context,
        SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_SINGLE_ECDH_USE |
            SSL_OP_IGNORE_UNEXPECTED_EOF
    );
    // The chain is what the file holds: OpenSSL would look for more of it in every handshake.
    SSL_CTX_set_mode(
        context,
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_NO_AUTO_CHAIN
    );
    // Resumption by tickets alone: no table of sessions to fill.
    SSL_CTX_set_session_cache_mode(context, SSL_SESS_CACHE_OFF);
    SSL_CTX_set_read_ahead(context, 1); // one read for a record instead of two
    SSL_CTX_set_alpn_select_cb(context, choose_protocol, nullptr);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_cipher_list(context, tls12_ciphers) == 1 &&
           SSL_CTX_set1_groups_list(context, groups) == 1 &&
           SSL_CTX_set_num_tickets(context, 1) == 1 &&
           SSL_CTX_set_session_id_context(
               context, id, static_cast<unsigned>(session_context.size())
           ) == 1;
}

time_point expiry_of(const X509* certificate) {
    std::tm end{};
    if (certificate == nullptr || ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) != 1) {
        return time_point{};
    }
    return time_point{std::chrono::seconds{::timegm(&end)}};
}

} // namespace

result<tls_context::loaded> tls_context::load_files(const tls_files& files) {
    ERR_clear_error();
    ssl_ctx_ptr context{SSL_CTX_new(TLS_server_method())};
    if (!context || !apply_profile(context.get())) {
        return error{errc::internal, "OpenSSL refuses the TLS profile: " + openssl_error()};
    }
    if (SSL_CTX_use_certificate_chain_file(context.get(), files.certificate.c_str()) != 1) {
        return unusable(
            files.certificate,
            "not a usable certificate",
            "give a PEM file, leaf first, then its chain"
        );
    }
    if (auto used = use_key(context.get(), files); !used) return used.error();
    if (!files.client_ca.empty()) {
        auto* names = SSL_load_client_CA_file(files.client_ca.c_str());
        SSL_CTX_set_client_CA_list(context.get(), names); // which owns them from here on
        if (names == nullptr ||
            SSL_CTX_load_verify_file(context.get(), files.client_ca.c_str()) != 1) {
            return unusable(files.client_ca, "not a usable CA file", "give the clients' CA as PEM");
        }
        SSL_CTX_set_verify(
            context.get(), SSL_VERIFY_PEER | SSL_VERIFY_FAIL_IF_NO_PEER_CERT, nullptr
        );
    }
    const auto end = expiry_of(SSL_CTX_get0_certificate(context.get()));
    return loaded{std::move(context), end};
}

result<std::unique_ptr<tls_context>> tls_context::load(tls_files files) {
    auto first = load_files(files);
    if (!first) return first.error();
    return std::unique_ptr<tls_context>(new tls_context(std::move(files), std::move(*first)));
}

outcome tls_context::reload() {
    auto fresh = load_files(files_);
    if (!fresh) return fresh.error();
    const std::lock_guard lock(mutex_);
    current_ = std::move(*fresh);
    return {};
}

ssl_ptr tls_context::accept_on(int fd) const {
    ssl_ptr ssl;
    {
        const std::lock_guard lock(mutex_);
        ssl.reset(SSL_new(current_.context.get()));
    }
    if (!ssl || SSL_set_fd(ssl.get(), fd) != 1) {
        ERR_clear_error();
        return {};
    }
    SSL_set_accept_state(ssl.get());
    return ssl;
}

time_point tls_context::not_after() const {
    const std::lock_guard lock(mutex_);
    return current_.not_after;
}

} // namespace sluice::net
