#include "net/self_signed.hpp"
#include "net/tls_context.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temp_folder.hpp"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>

using namespace sluice;
using namespace sluice::net;
using Catch::Matchers::Contains;
using sluice::tests::temp_folder;

namespace {

x509_ptr read_certificate(const std::filesystem::path& file) {
    const bio_ptr in{BIO_new_file(file.c_str(), "r")};
    return x509_ptr{PEM_read_bio_X509(in.get(), nullptr, nullptr, nullptr)};
}

void encrypt_key(const std::filesystem::path& plain, const std::filesystem::path& into) {
    const bio_ptr in{BIO_new_file(plain.c_str(), "r")};
    const evp_pkey_ptr key{PEM_read_bio_PrivateKey(in.get(), nullptr, nullptr, nullptr)};
    const bio_ptr out{BIO_new_file(into.c_str(), "w")};
    const std::string passphrase = "known to one";
    REQUIRE(
        PEM_write_bio_PKCS8PrivateKey(
            out.get(),
            key.get(),
            EVP_aes_256_cbc(),
            passphrase.data(),
            static_cast<int>(passphrase.size()),
            nullptr,
            nullptr
        ) == 1
    );
}

mode_t mode_of(const std::filesystem::path& file) {
    struct stat s{};
    REQUIRE(::stat(file.c_str(), &s) == 0);
    return s.st_mode & 0777U;
}

} // namespace

TEST_CASE("the first start makes a certificate for the loopback, this machine and the listen hosts"
) {
    temp_folder folder;
    const auto files =
        self_signed_files(folder / "tls", {"0.0.0.0", "192.0.2.1", "sluice.example"});
    REQUIRE(files.has_value());
    CHECK(mode_of(files->key) == 0600U);
    const auto certificate = read_certificate(files->certificate);
    REQUIRE(certificate != nullptr);
    for (const char* address : {"127.0.0.1", "::1", "192.0.2.1"}) {
        INFO(address);
        CHECK(X509_check_ip_asc(certificate.get(), address, 0) == 1);
    }
    CHECK(X509_check_ip_asc(certificate.get(), "0.0.0.0", 0) == 0);
    CHECK(X509_check_host(certificate.get(), "localhost", 0, 0, nullptr) == 1);
    CHECK(X509_check_host(certificate.get(), "sluice.example", 0, 0, nullptr) == 1);
    CHECK(X509_check_ca(certificate.get()) == 1);
    CHECK(X509_check_purpose(certificate.get(), X509_PURPOSE_SSL_SERVER, 0) == 1);
}

TEST_CASE("the certificate of the first start is kept by the second") {
    temp_folder folder;
    const auto first = self_signed_files(folder / "tls", {});
    REQUIRE(first.has_value());
    const auto before = read_certificate(first->certificate);
    REQUIRE(self_signed_files(folder / "tls", {}).has_value());
    const auto after = read_certificate(first->certificate);
    CHECK(X509_cmp(before.get(), after.get()) == 0);
}

TEST_CASE("a folder that cannot be written is an error that names it") {
    temp_folder folder;
    folder.write("file", "");
    const auto files = self_signed_files(folder / "file", {});
    REQUIRE_FALSE(files.has_value());
    CHECK(files.error().message.find((folder / "file").string()) != std::string::npos);
}

TEST_CASE("a context tells when its certificate ends") {
    temp_folder folder;
    const auto files = self_signed_files(folder / "tls", {});
    REQUIRE(files.has_value());
    const auto context = tls_context::load(*files);
    REQUIRE(context.has_value());
    const auto left = (*context)->not_after() - system_clock{}.now();
    CHECK(left > std::chrono::hours{24 * 365});
}

TEST_CASE("files that do not work are named with what is wrong") {
    temp_folder folder;
    const auto files = self_signed_files(folder / "tls", {});
    const auto other = self_signed_files(folder / "other", {});
    REQUIRE((files && other));
    folder.write("junk", "-----BEGIN CERTIFICATE-----\njunk\n");
    const auto complaint = [](const tls_files& f) {
        const auto context = tls_context::load(f);
        return context ? std::string{} : context.error().message;
    };
    CHECK(complaint({folder / "none", files->key, {}}).find("none") != std::string::npos);
    CHECK(complaint({folder / "junk", files->key, {}}).find("junk") != std::string::npos);
    CHECK(complaint({files->certificate, folder / "none", {}}).find("none") != std::string::npos);
    CHECK(
        complaint({files->certificate, other->key, {}}).find("not the private key") !=
        std::string::npos
    );
    CHECK(
        complaint({files->certificate, files->key, folder / "junk"}).find("junk") !=
        std::string::npos
    );
}

TEST_CASE("an encrypted key is refused with the remedy, and nobody is asked for its passphrase") {
    temp_folder folder;
    const auto files = self_signed_files(folder / "tls", {});
    REQUIRE(files.has_value());
    encrypt_key(files->key, folder / "encrypted.key");
    const auto context = tls_context::load({files->certificate, folder / "encrypted.key", {}});
    REQUIRE_FALSE(context.has_value());
    CHECK_THAT(
        context.error().message,
        Contains("encrypted.key: the private key is encrypted") && Contains("openssl pkey")
    );
}

TEST_CASE("a key that becomes an encrypted one leaves the server with the key it has") {
    temp_folder folder;
    const auto files = self_signed_files(folder / "tls", {});
    REQUIRE(files.has_value());
    const auto context = tls_context::load(*files);
    REQUIRE(context.has_value());
    encrypt_key(files->key, folder / "encrypted.key");
    std::filesystem::rename(folder / "encrypted.key", files->key);
    const auto reloaded = (*context)->reload();
    REQUIRE_FALSE(reloaded.has_value());
    CHECK_THAT(reloaded.error().message, Contains("is encrypted"));
}
