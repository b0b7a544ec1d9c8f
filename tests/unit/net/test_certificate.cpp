#include "tests/unit/net/test_certificate.hpp"

#include "tests/support/catch.hpp"

#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

namespace sluice::tests {

namespace {

void add(X509* certificate, int id, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    auto* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
    REQUIRE(extension != nullptr);
    X509_add_ext(certificate, extension, -1);
    X509_EXTENSION_free(extension);
}

std::string text_of(const net::bio_ptr& memory) {
    char* text = nullptr;
    const long size = BIO_get_mem_data(memory.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

} // namespace

test_certificate make_test_certificate(const std::string& names, int days) {
    static int serial = 1;
    constexpr long day = 24L * 60 * 60;
    const net::evp_pkey_ptr key{EVP_EC_gen("P-256")};
    const net::x509_ptr made{X509_new()};
    const auto name = "test " + std::to_string(serial);
    auto* subject = X509_get_subject_name(made.get());
    const auto* bytes = reinterpret_cast<const unsigned char*>(name.c_str());
    X509_set_version(made.get(), X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(made.get()), serial++);
    X509_gmtime_adj(X509_getm_notBefore(made.get()), -2 * day);
    X509_gmtime_adj(X509_getm_notAfter(made.get()), days * day);
    X509_set_pubkey(made.get(), key.get());
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, bytes, -1, -1, 0);
    X509_set_issuer_name(made.get(), subject);
    add(made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
    add(made.get(), NID_subject_alt_name, names);
    REQUIRE(X509_sign(made.get(), key.get(), EVP_sha256()) > 0);

    const net::bio_ptr certificate{BIO_new(BIO_s_mem())};
    const net::bio_ptr secret{BIO_new(BIO_s_mem())};
    PEM_write_bio_X509(certificate.get(), made.get());
    PEM_write_bio_PKCS8PrivateKey(secret.get(), key.get(), nullptr, nullptr, 0, nullptr, nullptr);
    return {text_of(certificate), text_of(secret)};
}

std::unique_ptr<net::tls_context>
server_tls(const temp_folder& folder, const test_certificate& own, const std::string& client_ca) {
    folder.write("tls.crt", own.certificate_pem);
    folder.write("tls.key", own.key_pem);
    net::tls_files files{folder / "tls.crt", folder / "tls.key", {}};
    if (!client_ca.empty()) {
        folder.write("clients.crt", client_ca);
        files.client_ca = folder / "clients.crt";
    }
    auto loaded = net::tls_context::load(files);
    REQUIRE(loaded.has_value());
    return std::move(*loaded);
}

} // namespace sluice::tests
