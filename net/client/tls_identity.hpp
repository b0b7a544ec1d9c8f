#pragma once

#include "base/result.hpp"
#include "net/http_client.hpp"
#include "net/openssl.hpp"

#include <map>
#include <memory>
#include <string>

namespace sluice::net::client {

using ssl_session_ptr = std::unique_ptr<SSL_SESSION, openssl_deleter<SSL_SESSION_free>>;

// Whom we believe and who we are, with the sessions our peers gave us: the next handshake is then a short one. It outlives
// every connection made from it.
class tls_identity {
public:
    // errc::unprocessable names what is wrong with the PEM texts.
    [[nodiscard]] static result<std::shared_ptr<tls_identity>>
    make(const client_tls& tls, std::string digest);

    // In the connect state, bound to the host's name or address.
    [[nodiscard]] result<ssl_ptr> connect_on(int fd, const url& peer);
    // After a handshake that failed: the session may be the reason.
    void forget_session(const url& peer);

    // Same for the same trust and certificate; says neither.
    [[nodiscard]] const std::string& digest() const noexcept { return digest_; }

private:
    tls_identity(ssl_ctx_ptr context, std::string digest)
        : context_(std::move(context)), digest_(std::move(digest)) {}

    ssl_ctx_ptr context_;
    std::string digest_;
    std::map<std::string, ssl_session_ptr> sessions_; // by authority; nodes do not move
};

[[nodiscard]] std::string digest_of(const client_tls& tls);

// What is wrong with the peer's certificate, or with ours, as the last handshake or read left it. Empties OpenSSL's queue.
[[nodiscard]] error tls_failure(const SSL* ssl, const std::string& host);

} // namespace sluice::net::client
