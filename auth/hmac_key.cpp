#include "auth/hmac_key.hpp"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <atomic>
#include <stdexcept>

namespace sluice::auth {
namespace {

struct algorithm {
    const char* name;
    std::size_t size;
};

constexpr std::array<algorithm, 4> algorithms{
    {{"SHA224", 28}, {"SHA256", 32}, {"SHA384", 48}, {"SHA512", 64}}
};

const algorithm& of(hash h) noexcept {
    return algorithms.at(static_cast<std::size_t>(h));
}

struct free_context {
    void operator()(EVP_MAC_CTX* c) const noexcept { EVP_MAC_CTX_free(c); }
};
using context = std::unique_ptr<EVP_MAC_CTX, free_context>;

// OpenSSL fails here only when it is out of memory or was built without HMAC: nothing a caller could mend.
void require(bool ok) {
    if (!ok) throw std::runtime_error("OpenSSL could not compute an HMAC");
}

EVP_MAC* hmac() {
    struct free_mac {
        void operator()(EVP_MAC* m) const noexcept { EVP_MAC_free(m); }
    };
    static const std::unique_ptr<EVP_MAC, free_mac> fetched{EVP_MAC_fetch(nullptr, "HMAC", nullptr)
    };
    require(fetched != nullptr);
    return fetched.get();
}

context make_context(hash h, std::string_view key) {
    context made{EVP_MAC_CTX_new(hmac())};
    require(made != nullptr);
    // OSSL_PARAM has no const form; the name is only read.
    auto* digest = const_cast<char*>(of(h).name);
    const OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
        OSSL_PARAM_construct_end()
    };
    const auto* bytes = reinterpret_cast<const unsigned char*>(key.data());
    require(EVP_MAC_init(made.get(), bytes, key.size(), parameters) == 1);
    return made;
}

} // namespace

std::size_t mac_size(hash h) noexcept {
    return of(h).size;
}

std::string_view mac_value::view() const noexcept {
    return {reinterpret_cast<const char*>(bytes.data()), size};
}

// One keyed context per hash waits in its slot. A thread takes it out while it works; a second thread that finds the
// slot empty keys a context of its own, and whichever comes back last stays.
struct hmac_key::state {
    explicit state(secret_string b) : bytes(std::move(b)) {}
    ~state() {
        for (auto& slot : spare) EVP_MAC_CTX_free(slot.load());
    }
    state(const state&) = delete;
    state& operator=(const state&) = delete;

    context take(hash h) {
        context kept{slot(h).exchange(nullptr, std::memory_order_acquire)};
        if (!kept) return make_context(h, bytes.reveal());
        // Without a key this rewinds to the stored key schedule.
        require(EVP_MAC_init(kept.get(), nullptr, 0, nullptr) == 1);
        return kept;
    }
    void give_back(hash h, context c) {
        EVP_MAC_CTX_free(slot(h).exchange(c.release(), std::memory_order_acq_rel));
    }

private:
    std::atomic<EVP_MAC_CTX*>& slot(hash h) { return spare.at(static_cast<std::size_t>(h)); }

    secret_string bytes;
    std::array<std::atomic<EVP_MAC_CTX*>, algorithms.size()> spare{};
};

hmac_key::hmac_key(secret_string bytes) : state_(std::make_unique<state>(std::move(bytes))) {}
hmac_key::~hmac_key() = default;
hmac_key::hmac_key(hmac_key&&) noexcept = default;
hmac_key& hmac_key::operator=(hmac_key&&) noexcept = default;

mac_value hmac_key::mac(hash h, std::span<const std::string_view> parts) const {
    auto c = state_->take(h);
    for (const auto part : parts) {
        const auto* bytes = reinterpret_cast<const unsigned char*>(part.data());
        require(EVP_MAC_update(c.get(), bytes, part.size()) == 1);
    }
    mac_value value;
    require(EVP_MAC_final(c.get(), value.bytes.data(), &value.size, value.bytes.size()) == 1);
    state_->give_back(h, std::move(c));
    return value;
}

} // namespace sluice::auth
