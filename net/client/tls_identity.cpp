#include "net/client/tls_identity.hpp"

#include "base/bytes.hpp"

#include <boost/asio/ip/address.hpp>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509_vfy.h>

#include <array>

namespace sluice::net::client {

namespace {

error unusable(std::string what, std::string remedy) {
    return {
        errc::unprocessable, std::move(what) + " (" + openssl_error() + "); " + std::move(remedy)
    };
}

bio_ptr memory(std::string_view bytes) {
    return bio_ptr{BIO_new_mem_buf(bytes.data(), static_cast<int>(bytes.size()))};
}

// Without it OpenSSL would ask for the passphrase on the terminal.
int no_passphrase(char* /*into*/, int /*size*/, int /*writing*/, void* /*data*/) {
    return -1;
}

std::vector<x509_ptr> certificates_in(std::string_view pem) {
    const auto in = memory(pem);
    std::vector<x509_ptr> all;
    for (;;) {
        x509_ptr next{PEM_read_bio_X509(in.get(), nullptr, no_passphrase, nullptr)};
        if (!next) break;
        all.push_back(std::move(next));
    }
    return all;
}

// Called by OpenSSL while a connection reads; the place was given by connect_on().
int keep_session(SSL* ssl, SSL_SESSION* session) {
    auto* place = static_cast<ssl_session_ptr*>(SSL_get_app_data(ssl));
    place->reset(session);
    return 1; // ours now
}

// Read once: it takes 50 ms, which each identity would cost the loop again. Roots that are missing on this machine show as
// a certificate that is not trusted.
X509_STORE* system_roots() {
    static const auto roots = [] {
        ssl_ctx_ptr reader{SSL_CTX_new(TLS_client_method())};
        SSL_CTX_set_default_verify_file(reader.get());
        return reader;
    }();
    return SSL_CTX_get_cert_store(roots.get());
}

outcome trust(SSL_CTX* context, std::string_view ca_pem) {
    auto* store = SSL_CTX_get_cert_store(context);
    auto* roots = X509_STORE_get0_objects(system_roots());
    for (int i = 0; i < sk_X509_OBJECT_num(roots); ++i) {
        auto* root = X509_OBJECT_get0_X509(sk_X509_OBJECT_value(roots, i));
        if (root != nullptr) X509_STORE_add_cert(store, root);
    }
    SSL_CTX_set_default_verify_dir(context);
    // An intermediate given as the CA is believed, as other clients do.
    X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
    ERR_clear_error();
    if (ca_pem.empty()) return {};
    const auto certificates = certificates_in(ca_pem);
    if (certificates.empty()) {
        return unusable("the CA holds no certificate", "give it as PEM in ca.crt");
    }
    for (const auto& certificate : certificates) {
        if (X509_STORE_add_cert(store, certificate.get()) != 1) {
            return unusable("a certificate of the CA cannot be used", "look at ca.crt");
        }
    }
    ERR_clear_error(); // the end of the PEM text is an error to OpenSSL
    return {};
}

outcome introduce_ourselves(SSL_CTX* context, const client_tls& tls) {
    if (tls.certificate_pem.empty()) return {};
    auto chain = certificates_in(tls.certificate_pem);
    if (chain.empty() || SSL_CTX_use_certificate(context, chain.front().get()) != 1) {
        return unusable(
            "the client certificate cannot be read",
            "give PEM in tls.crt, leaf first, then its chain"
        );
    }
    for (std::size_t i = 1; i < chain.size(); ++i) {
        SSL_CTX_add1_chain_cert(context, chain[i].get());
    }
    const auto in = memory(tls.key_pem.reveal());
    const evp_pkey_ptr key{PEM_read_bio_PrivateKey(in.get(), nullptr, no_passphrase, nullptr)};
    if (!key || SSL_CTX_use_PrivateKey(context, key.get()) != 1) {
        return unusable(
            "the client key cannot be used",
            "give in tls.key the PEM key that belongs to tls.crt, without a passphrase"
        );
    }
    ERR_clear_error();
    return {};
}

bool apply_profile(SSL_CTX* context) {
    static constexpr std::array<unsigned char, 9> http11 = {
        8, 'h', 't', 't', 'p', '/', '1', '.', '1'
    };
    SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
    SSL_CTX_set_mode(
        context,
        SSL_MODE_RELEASE_BUFFERS | SSL_MODE_ENABLE_PARTIAL_WRITE |
            SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER
    );
    SSL_CTX_set_session_cache_mode(
        context, SSL_SESS_CACHE_CLIENT | SSL_SESS_CACHE_NO_INTERNAL_STORE
    );
    SSL_CTX_sess_set_new_cb(context, keep_session);
    SSL_CTX_set_read_ahead(context, 1);
    SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
    return SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION) == 1 &&
           SSL_CTX_set_alpn_protos(context, http11.data(), http11.size()) == 0;
}

// An address has no name to send, and stands in another field of the certificate.
bool bind_to_host(SSL* ssl, const std::string& host) {
    boost::system::error_code not_an_address;
    boost::asio::ip::make_address(host, not_an_address);
    if (!not_an_address) {
        return X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(ssl), host.c_str()) == 1;
    }
    return SSL_set_tlsext_host_name(ssl, host.c_str()) == 1 &&
           SSL_set1_host(ssl, host.c_str()) == 1;
}

} // namespace

result<std::shared_ptr<tls_identity>>
tls_identity::make(const client_tls& tls, std::string digest) {
    ERR_clear_error();
    ssl_ctx_ptr context{SSL_CTX_new(TLS_client_method())};
    if (!context || !apply_profile(context.get())) {
        return error{errc::internal, "OpenSSL refuses the TLS profile: " + openssl_error()};
    }
    if (auto trusted = trust(context.get(), tls.ca_pem); !trusted) return trusted.error();
    if (auto ours = introduce_ourselves(context.get(), tls); !ours) return ours.error();
    return std::shared_ptr<tls_identity>(new tls_identity(std::move(context), std::move(digest)));
}

result<ssl_ptr> tls_identity::connect_on(int fd, const url& peer) {
    ssl_ptr ssl{SSL_new(context_.get())};
    if (!ssl || SSL_set_fd(ssl.get(), fd) != 1 || !bind_to_host(ssl.get(), peer.host)) {
        return error{
            errc::internal, "TLS with " + peer.authority() + " cannot begin: " + openssl_error()
        };
    }
    auto& session = sessions_[peer.authority()];
    SSL_set_app_data(ssl.get(), &session);
    if (session) SSL_set_session(ssl.get(), session.get());
    SSL_set_connect_state(ssl.get());
    return ssl;
}

void tls_identity::forget_session(const url& peer) {
    sessions_[peer.authority()].reset();
}

std::string digest_of(const client_tls& tls) {
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest{};
    unsigned size = 0;
    const std::unique_ptr<EVP_MD_CTX, openssl_deleter<EVP_MD_CTX_free>> hash{EVP_MD_CTX_new()};
    EVP_DigestInit_ex(hash.get(), EVP_sha256(), nullptr);
    for (const std::string_view part :
         {std::string_view{tls.ca_pem}, std::string_view{tls.certificate_pem}, tls.key_pem.reveal()
         }) {
        const std::size_t length = part.size();
        EVP_DigestUpdate(hash.get(), &length, sizeof length);
        EVP_DigestUpdate(hash.get(), part.data(), part.size());
    }
    EVP_DigestFinal_ex(hash.get(), digest.data(), &size);
    return to_hex({digest.data(), size});
}

} // namespace sluice::net::client
