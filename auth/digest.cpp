#include "auth/digest.hpp"

#include <openssl/evp.h>

#include <memory>
#include <stdexcept>

namespace sluice::auth {
namespace {

struct free_digest {
    void operator()(EVP_MD* d) const noexcept { EVP_MD_free(d); }
    void operator()(EVP_MD_CTX* c) const noexcept { EVP_MD_CTX_free(c); }
};

void require(bool ok) {
    if (!ok) throw std::runtime_error("OpenSSL could not compute a SHA-256 digest");
}

} // namespace

sha256_digest sha256(std::span<const std::string_view> parts) {
    // Fetched once: looking the algorithm up by name costs more than hashing an event.
    static const std::unique_ptr<EVP_MD, free_digest> algorithm{
        EVP_MD_fetch(nullptr, "SHA256", nullptr)
    };
    thread_local const std::unique_ptr<EVP_MD_CTX, free_digest> context{EVP_MD_CTX_new()};
    require(algorithm && context);
    require(EVP_DigestInit_ex2(context.get(), algorithm.get(), nullptr) == 1);
    for (const auto part : parts)
        require(EVP_DigestUpdate(context.get(), part.data(), part.size()) == 1);
    sha256_digest digest{};
    require(EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
    return digest;
}

} // namespace sluice::auth
