#pragma once

#include "base/clock.hpp"
#include "base/result.hpp"
#include "net/openssl.hpp"

#include <filesystem>
#include <mutex>
#include <string>

namespace sluice::net {

struct tls_files {
    std::filesystem::path certificate; // PEM, leaf first, then the chain
    std::filesystem::path key;
    std::filesystem::path client_ca; // when set, every client must show a certificate of this CA
};

// The server side of TLS 1.2 and 1.3 (Mozilla's intermediate profile). Connections keep the context they began with, so
// reload() changes new ones only; a set of files that does not work leaves the old one in place.
class tls_context {
public:
    [[nodiscard]] static result<std::unique_ptr<tls_context>> load(tls_files files);

    // From any thread.
    [[nodiscard]] outcome reload();
    // A connection in the accept state on a non-blocking socket; null when OpenSSL has no memory.
    [[nodiscard]] ssl_ptr accept_on(int fd) const;
    // When the certificate in use ends.
    [[nodiscard]] time_point not_after() const;
    [[nodiscard]] const tls_files& files() const noexcept { return files_; }

private:
    struct loaded {
        ssl_ctx_ptr context;
        time_point not_after;
    };
    tls_context(tls_files files, loaded first)
        : files_(std::move(files)), current_(std::move(first)) {}
    [[nodiscard]] static result<loaded> load_files(const tls_files& files);

    tls_files files_;
    mutable std::mutex mutex_;
    loaded current_;
};

} // namespace sluice::net
