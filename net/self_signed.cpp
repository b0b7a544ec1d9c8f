#include "net/self_signed.hpp"

#include "base/unique_fd.hpp"

#include <boost/asio/ip/address.hpp>
#include <fcntl.h>
#include <openssl/ec.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <set>
#include <string_view>

namespace sluice::net {

namespace {

constexpr long ten_years = 3650L * 24 * 60 * 60;

error failed(const std::filesystem::path& file, std::string_view what, std::string_view why) {
    return {
        errc::unavailable,
        file.string() + ": " + std::string(what) + ": " + std::string(why) +
            "; make the folder writable, or give a certificate of your own"
    };
}

std::string machine_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0) return {};
    return name.data();
}

std::string alternative_names(const std::vector<std::string>& hosts) {
    std::set<std::string> names{"127.0.0.1", "::1", "localhost"};
    names.insert(hosts.begin(), hosts.end());
    names.insert(machine_name());
    std::string list;
    for (const auto& name : names) {
        boost::system::error_code not_an_address;
        const auto address = boost::asio::ip::make_address(name, not_an_address);
        // The wildcard address is nobody's, and a comma would begin another entry.
        if (name.empty() || name.find_first_of(",\n ") != std::string::npos) continue;
        if (!not_an_address && address.is_unspecified()) continue;
        list += (list.empty() ? "" : ",") + std::string(not_an_address ? "DNS:" : "IP:") + name;
    }
    return list;
}

bool add_extension(X509* certificate, int id, const std::string& value) {
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, certificate, certificate, nullptr, nullptr, 0);
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, &context, id, value.c_str());
    if (extension == nullptr) return false;
    const bool added = X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return added;
}

x509_ptr make_certificate(EVP_PKEY* key, const std::string& names) {
    x509_ptr made{X509_new()};
    std::array<unsigned char, 16> serial{};
    if (!made || RAND_bytes(serial.data(), static_cast<int>(serial.size())) != 1) return {};
    serial[0] =
        static_cast<unsigned char>((serial[0] & 0x3fU) | 0x40U); // positive, always 16 bytes
    BIGNUM* number = BN_bin2bn(serial.data(), static_cast<int>(serial.size()), nullptr);
    BN_to_ASN1_INTEGER(number, X509_get_serialNumber(made.get()));
    BN_free(number);

    X509_NAME* name = X509_get_subject_name(made.get());
    const auto common_name = reinterpret_cast<const unsigned char*>("sluice");
    const bool ok =
        X509_set_version(made.get(), X509_VERSION_3) == 1 &&
        X509_gmtime_adj(X509_getm_notBefore(made.get()), -3600) != nullptr &&
        X509_gmtime_adj(X509_getm_notAfter(made.get()), ten_years) != nullptr &&
        X509_set_pubkey(made.get(), key) == 1 &&
        X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_UTF8, common_name, -1, -1, 0) == 1 &&
        X509_set_issuer_name(made.get(), name) == 1 &&
        add_extension(made.get(), NID_basic_constraints, "critical,CA:TRUE,pathlen:0") &&
        add_extension(made.get(), NID_key_usage, "critical,digitalSignature,keyCertSign") &&
        add_extension(made.get(), NID_ext_key_usage, "serverAuth") &&
        add_extension(made.get(), NID_subject_key_identifier, "hash") &&
        add_extension(made.get(), NID_subject_alt_name, names) &&
        X509_sign(made.get(), key, EVP_sha256()) > 0;
    return ok ? std::move(made) : x509_ptr{};
}

std::string pem_of(const auto& write) {
    bio_ptr memory{BIO_new(BIO_s_mem())};
    if (!memory || !write(memory.get())) return {};
    char* text = nullptr;
    const long size = BIO_get_mem_data(memory.get(), &text);
    return {text, static_cast<std::size_t>(size)};
}

// Written beside, synced and renamed: a crash leaves the whole file or none.
outcome write_file(const std::filesystem::path& file, std::string_view bytes, mode_t mode) {
    const std::string beside = file.string() + ".new";
    ::unlink(beside.c_str());
    const unique_fd out{::open(beside.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)};
    if (!out) return failed(file, "cannot be created", std::strerror(errno));
    const auto written = ::write(out.get(), bytes.data(), bytes.size());
    if (written != static_cast<ssize_t>(bytes.size()) || ::fsync(out.get()) != 0 ||
        ::rename(beside.c_str(), file.c_str()) != 0) {
        return failed(file, "cannot be written", std::strerror(errno));
    }
    return {};
}

} // namespace

result<tls_files>
self_signed_files(const std::filesystem::path& folder, const std::vector<std::string>& hosts) {
    tls_files files{folder / "tls.crt", folder / "tls.key", {}};
    std::error_code ec;
    if (std::filesystem::exists(files.certificate, ec) && std::filesystem::exists(files.key, ec)) {
        return files;
    }
    std::filesystem::create_directories(folder, ec);
    if (ec) return failed(folder, "cannot be created", ec.message());

    const evp_pkey_ptr key{EVP_EC_gen("P-256")};
    if (!key) return failed(files.key, "no key could be made", openssl_error());
    const auto certificate = make_certificate(key.get(), alternative_names(hosts));
    if (!certificate) return failed(files.certificate, "could not be made", openssl_error());

    const auto key_pem = pem_of([&](BIO* out) {
        return PEM_write_bio_PKCS8PrivateKey(
                   out, key.get(), nullptr, nullptr, 0, nullptr, nullptr
               ) == 1;
    });
    const auto certificate_pem =
        pem_of([&](BIO* out) { return PEM_write_bio_X509(out, certificate.get()) == 1; });
    if (auto written = write_file(files.key, key_pem, 0600); !written) return written.error();
    if (auto written = write_file(files.certificate, certificate_pem, 0644); !written) {
        return written.error();
    }
    return files;
}

} // namespace sluice::net
