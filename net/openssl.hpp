#pragma once

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>

#include <memory>
#include <string>

// Owners for OpenSSL's objects.
namespace sluice::net {

template <auto Free>
struct openssl_deleter {
    template <class T>
    void operator()(T* p) const noexcept {
        Free(p);
    }
};

using ssl_ptr = std::unique_ptr<SSL, openssl_deleter<SSL_free>>;
using ssl_ctx_ptr = std::unique_ptr<SSL_CTX, openssl_deleter<SSL_CTX_free>>;
using x509_ptr = std::unique_ptr<X509, openssl_deleter<X509_free>>;
using evp_pkey_ptr = std::unique_ptr<EVP_PKEY, openssl_deleter<EVP_PKEY_free>>;
using bio_ptr = std::unique_ptr<BIO, openssl_deleter<BIO_free_all>>;

// What OpenSSL complained about last on this thread; empties its queue.
[[nodiscard]] std::string openssl_error();

} // namespace sluice::net
